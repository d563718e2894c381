"""Opening the file of the index: for reading in one state of it, and after a builder that was killed.

The file is changed in one transaction of SQLite, or replaced as a whole. A builder that is killed in between leaves a
journal beside the file, from which the next one that opens it makes the old state again.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from kb.errors import Location, StoreError

#: How long one waits for a change that is being written, in seconds.
PATIENCE = 20.0
_MAPPED = 1 << 30
HINT = "run `kb index` to build it"


def open_to_read(index: Path) -> sqlite3.Connection:
    """A connection that shows the state of now until it is closed. Raises StoreError when there is none to show."""
    if not index.is_file():
        raise StoreError("there is no index", location=Location(str(index)), hint=HINT)
    try:
        return _snapshot(index)
    except sqlite3.Error as error:
        if not journal(index).is_file():
            raise unreadable(index, error) from error
    try:
        undo(index)
        return _snapshot(index)
    except sqlite3.Error as error:
        message = f"an update of the index was interrupted, and cannot be undone: {error}"
        hint = f"let {index.parent} be written to, or delete {index.name} and run `kb index`"
        raise StoreError(message, location=Location(str(index)), hint=hint) from error


def undo(index: Path) -> None:
    """Undo what a builder that was killed had begun to change; nothing happens when there is no such change."""
    if journal(index).is_file():
        with closing(sqlite3.connect(f"{index.resolve().as_uri()}?mode=rw", uri=True, timeout=PATIENCE)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def journal(index: Path) -> Path:
    """Where SQLite keeps what a change replaces, until the change is complete."""
    return index.with_name(f"{index.name}-journal")


def unreadable(index: Path, error: sqlite3.Error) -> StoreError:
    """The error for a file that is no index."""
    return StoreError(f"the index cannot be read: {error}", location=Location(str(index)), hint=HINT)


def _snapshot(index: Path) -> sqlite3.Connection:
    name = f"{index.resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(name, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA mmap_size = {_MAPPED}")  # pages of a large file are read where they lie
        # A transaction that was begun keeps the state of its first statement.
        connection.execute("BEGIN")
        connection.execute("SELECT key, value FROM meta").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection
