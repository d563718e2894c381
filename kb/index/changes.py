"""Which session records differ from those that the index holds."""

import sqlite3
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kb.errors import InputError
from kb.home import Home
from kb.index.files import Stat, listing, looks, read_hashed, records, stats_of
from kb.index.postings import rows_in

#: Stands for the hash of a record that cannot be read.
UNREADABLE = b""
#: A file that was written so shortly before it was looked at may be written once more within one tick of its clock, so
#: its time proves nothing yet; in nanoseconds.
TOO_YOUNG = 2_000_000_000


#: The lines of `looks` as the index has them, and how many; one that could not be read looks like no file.
_HELD = (
    "SELECT group_concat(CASE WHEN length(sha256) THEN '' ELSE '?' END || path || '/' || size || '/' || mtime, "
    "char(10)), count(*) FROM file"
)


class Changes(NamedTuple):
    """Records to be read, records that are gone, and those that say the same but whose files were touched.

    `stats` are those of all records named here that there are.
    """

    changed: tuple[str, ...]
    removed: tuple[str, ...]
    touched: tuple[str, ...]
    stats: Mapping[str, Stat]

    @property
    def any(self) -> bool:
        """Whether the index says anything else than the records."""
        return bool(self.changed or self.removed)


def compare(home: Home, db: sqlite3.Connection | None) -> Changes:
    """What changed since an open index was built (None: all there is). What looks as it did then is not read again."""
    if db is None:
        stats = listing(home)
        return Changes(tuple(stats), (), (), stats)
    return _told(home, db, *differing(home, db))


def proved(home: Home, db: sqlite3.Connection, paths: Iterable[str]) -> Changes:
    """What changed of those of these records of an open index that were too young when they were read."""
    young = rows_in(db, "SELECT path FROM file WHERE mtime < 0 AND path IN ({})", list(paths))
    return _told(home, db, stats_of(home, (path for (path,) in young)), ())


def _told(home: Home, db: sqlite3.Connection, stats: Mapping[str, Stat], gone: tuple[str, ...]) -> Changes:
    rows = rows_in(db, "SELECT path, size, mtime, sha256 FROM file WHERE path IN ({})", list(stats))
    held = {path: (size, mtime, sha256) for path, size, mtime, sha256 in rows}
    changed: list[str] = []
    touched: list[str] = []
    for path, stat in stats.items():
        old = held.get(path)
        if old is None or hashed(home, path) != old[2]:
            changed.append(path)
        elif proving(stat) == stat:
            touched.append(path)
    return Changes(tuple(changed), gone, tuple(touched), stats)


def differing(home: Home, db: sqlite3.Connection) -> tuple[dict[str, Stat], tuple[str, ...]]:
    """The records that look other than an open index has them, and those that are gone."""
    now, held = looks(home), _held(db)
    if now == held:
        return {}, ()
    found = records(home, now - held)
    paths = (line.removeprefix("?").rsplit("/", 2)[0] for line in held - now)
    return found, tuple(sorted(path for path in paths if path not in found))


def _held(db: sqlite3.Connection) -> frozenset[str]:
    text, count = db.execute(_HELD).fetchone()
    lines = frozenset(text.split("\n")) if text else frozenset[str]()
    if len(lines) == count:
        return lines
    # A name holds a line break.
    return frozenset(line for (line,) in db.execute(f"{_HELD} GROUP BY path".replace(", count(*)", "")))


def proving(stat: Stat) -> Stat:
    """`stat` as it is stored for a record that is read now: without a time that proves nothing yet."""
    return stat if stat.mtime < time.time_ns() - TOO_YOUNG else Stat(stat.size, -1)


def hashed(home: Home, path: str) -> bytes:
    """The hash of a record's content."""
    try:
        return read_hashed(home, path)[1]
    except InputError:
        return UNREADABLE
