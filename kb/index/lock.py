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
    the system frees such a lock when its process dies. Raises StoreError when it cannot be had.
    """
    with closing(_locked(index.with_suffix(".lock"))):
        yield


def _locked(path: Path) -> sqlite3.Connection:
    """A connection that holds the lock file `path`, for as long as it is open."""
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        hint = f"remove or rename that file; `kb index` makes the folder {folder.name}/ itself"
        message = "this is a file, but the index needs a folder"
        raise StoreError(message, location=Location(str(folder)), hint=hint) from error
    except OSError as error:
        message = f"the folder of the index cannot be made: {error.strerror}"
        raise StoreError(message, location=Location(str(folder)), hint=f"let {folder.parent} be written to") from error
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        hint = "another `kb index` may be running, or the folder cannot be written to"
        if not isinstance(error, sqlite3.OperationalError):
            hint = "delete this file; `kb index` makes it again"
        raise StoreError(f"the index cannot be locked: {error}", location=Location(str(path)), hint=hint) from error
    return connection
