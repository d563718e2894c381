"""Which session records differ from those that the index holds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple

from kb.errors import InputError
from kb.home import Home
from kb.index.files import Stat, listing, read_hashed

#: Stands for the hash of a record that cannot be read.
UNREADABLE = b""
#: A file that was written so shortly before it was looked at may be written once more within one tick of its clock, so
#: its time proves nothing yet; in nanoseconds.
_TOO_YOUNG = 2_000_000_000


#: A record as the index holds it: its size, its time, and the hash of its content.
Held = tuple[int, int, bytes]


class Changes(NamedTuple):
    """Records to be read, records that are gone, and those that say the same but whose files were touched.

    `stats` are those of all records there are.
    """

    changed: tuple[str, ...]
    removed: tuple[str, ...]
    touched: tuple[str, ...]
    stats: Mapping[str, Stat]

    @property
    def any(self) -> bool:
        """Whether the index says anything else than the records."""
        return bool(self.changed or self.removed)


def compare(home: Home, held: Mapping[str, Held]) -> Changes:
    """What changed since the index held these records. A file with the same size and time is not read again."""
    stats = listing(home)
    changed: list[str] = []
    touched: list[str] = []
    for path, stat in stats.items():
        old = held.get(path)
        if old is not None and old[:2] == stat and old[2] != UNREADABLE:
            continue
        if old is None or hashed(home, path) != old[2]:
            changed.append(path)
        elif proving(stat) == stat:
            touched.append(path)
    removed = tuple(path for path in held if path not in stats)
    return Changes(tuple(changed), removed, tuple(touched), stats)


def proving(stat: Stat) -> Stat:
    """`stat` as it is stored for a record that is read now: without a time that proves nothing yet."""
    return stat if stat.mtime < time.time_ns() - _TOO_YOUNG else Stat(stat.size, -1)


def hashed(home: Home, path: str) -> bytes:
    """The hash of a record's content."""
    try:
        return read_hashed(home, path)[1]
    except InputError:
        return UNREADABLE
