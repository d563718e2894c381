"""What is derived from which sessions when an index is built as a whole: units that need nothing of each other.

What is said of a signature lies beside the facts of the first session that it was met in, what is said of a fix beside
those of the last one. So a unit is some sessions with all signatures and fixes whose texts lie beside their facts: what
it gives is complete, and is written once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

#: Sessions of the first unit, which shows what all have in common (kb.index.press), and of each other one.
FIRST = 500
_SIZE = 200

#: When a session began, and its id: the order of sessions.
Began = tuple[str, str]


class Unit(NamedTuple):
    """What is derived in one go: sessions by the numbers of their files, signatures, fixes.

    Of a signature, the files that it occurs in; of a fix, the files that it was made in, the newest first, and whether
    it helped there. `first` is the number of its first document: they are numbered in this order, sessions last.
    """

    first: int
    signatures: tuple[tuple[str, tuple[int, ...]], ...]
    fixes: tuple[tuple[str, tuple[tuple[int, bool], ...]], ...]
    files: tuple[int, ...]


class Plan:
    """Collects which signatures and fixes sessions name; gives the units when all have been added."""

    def __init__(self) -> None:
        self._began: dict[int, Began] = {}
        self._signatures: dict[str, list[int]] = {}
        self._fixes: dict[str, list[tuple[int, bool]]] = {}

    def add(self, file: int, began: Began, signatures: Sequence[str], fixes: Sequence[tuple[str, bool]]) -> None:
        """A session: the number of its file, and each signature and fix that it names, once."""
        self._began[file] = began
        for key in signatures:
            self._signatures.setdefault(key, []).append(file)
        for slug, helped in fixes:
            self._fixes.setdefault(slug, []).append((file, helped))

    def units(self) -> list[Unit]:
        """All there is to derive."""
        began = self._began
        signatures: dict[int, list[tuple[str, tuple[int, ...]]]] = {}
        for key, files in self._signatures.items():
            signatures.setdefault(min(files, key=began.__getitem__), []).append((key, tuple(files)))
        fixes: dict[int, list[tuple[str, tuple[tuple[int, bool], ...]]]] = {}
        for slug, rows in self._fixes.items():
            rows.sort(key=lambda row: began[row[0]], reverse=True)
            fixes.setdefault(rows[0][0], []).append((slug, tuple(rows)))
        units: list[Unit] = []
        last = 0
        for batch in _cut(list(began)):
            seen = tuple(one for file in batch for one in signatures.get(file, ()))
            made = tuple(one for file in batch for one in fixes.get(file, ()))
            units.append(Unit(last + 1, seen, made, batch))
            last += len(seen) + len(made) + len(batch)
        return units


def _cut(files: Sequence[int]) -> Iterator[tuple[int, ...]]:
    if files:
        yield tuple(files[:FIRST])
    for start in range(FIRST, len(files), _SIZE):
        yield tuple(files[start : start + _SIZE])
