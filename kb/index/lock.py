"""One builder of an index at a time, on any system, without a lock that outlives its process."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from kb.errors import Location, StoreError

#: How long a builder waits for another one, in seconds.
PATIENCE = 120.0


@contextmanager
def build_lock(index: Path) -> Iterator[None]:
    """Hold the lock of the index file `index`.

    An empty SQLite file beside it serves as the lock, because SQLite locks files on every system in the same way, and
    the system frees such a lock when its process dies.
    """
    path = index.with_suffix(".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            yield
    except sqlite3.OperationalError as error:
        raise StoreError(
            f"the index cannot be locked: {error}",
            location=Location(str(path)),
            hint="another `kb index` may be running, or the folder cannot be written to",
        ) from error
    except OSError as error:
        raise StoreError(f"the index cannot be written: {error}", location=Location(str(index))) from error
