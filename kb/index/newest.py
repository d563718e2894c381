"""The versions of components that the sessions of a knowledge base had, and the newest of each."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping

from kb.index.pieces import folded, version_numbers


class Components:
    """Which versions of components sessions had, collected until it is written."""

    def __init__(self) -> None:
        self._changes: Counter[tuple[str, str]] = Counter()

    def note(self, components: Mapping[str, str], change: int) -> None:
        """One session more (1) or fewer (-1) had these components in these versions."""
        for name, version in components.items():
            self._changes[folded(name), ".".join(map(str, _numbers(version)))] += change

    def write(self, db: sqlite3.Connection) -> None:
        """Write what was collected."""
        db.executemany(
            "INSERT INTO had VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET sessions = sessions + excluded.sessions",
            ((*key, change) for key, change in sorted(self._changes.items()) if change),
        )
        gone = (key for key, change in self._changes.items() if change < 0)
        db.executemany("DELETE FROM had WHERE component = ? AND version = ? AND sessions < 1", gone)
        self._changes.clear()


def newest_versions(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, str]:
    """The newest version of each component in an open index, by its first numbers; unknown ones are left out."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        rows = db.execute("SELECT version FROM had WHERE component = ? AND version != ''", (folded(name),))
        # They were written as numbers with dots between them.
        newest = max(([int(number) for number in version.split(".")] for (version,) in rows), default=None)
        if newest:
            found[name] = ".".join(map(str, newest))
    return found


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number[:9]) for number in version_numbers(version))
