"""The versions of components that the sessions of a knowledge base had, and the newest of each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from kb.index.pieces import folded, version_numbers


def note_components(db: sqlite3.Connection, components: Mapping[str, str], change: int) -> None:
    """One session more (1) or fewer (-1) had these components in these versions."""
    for name, version in components.items():
        key = (folded(name), ".".join(map(str, _numbers(version))))
        db.execute(
            "INSERT INTO had VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET sessions = sessions + excluded.sessions",
            (*key, change),
        )
        db.execute("DELETE FROM had WHERE component = ? AND version = ? AND sessions < 1", key)


def newest_versions(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, str]:
    """The newest version of each component in an open index, by its first numbers; unknown ones are left out."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        rows = db.execute("SELECT version FROM had WHERE component = ? AND version != ''", (folded(name),))
        versions = [_numbers(version) for (version,) in rows]
        if versions:
            found[name] = ".".join(map(str, max(versions)))
    return found


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number[:9]) for number in version_numbers(version))
