"""Changing the file of the index so that a reader, and whoever comes after a crash, sees the old state or the new one.

A few changes are made in place, in one transaction. Many, or those that would have to wait for a reader, are made in a
copy that then takes the place of the file; so is a whole build.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from kb.errors import Location, StoreError
from kb.index.opening import journal, undo

Fill = Callable[[sqlite3.Connection], None]
#: A file of so many bytes has larger pages: less of them stays empty, and a small file would be larger for it.
_LARGE = 64 << 20
#: How long a change in place waits for readers before it is made in a copy, in seconds.
_WAIT = 0.3


class BrokenIndexError(Exception):
    """The file is damaged: it can only be made anew."""


def write_anew(index: Path, fill: Fill) -> None:
    """Make the index with `fill`, which is given an empty database, and put it in the place of any other one."""
    with _store_errors(index):
        _replace(index, fill, base=None)


def change(index: Path, fill: Fill, *, few: bool) -> None:
    """Change the index, which must be readable, with `fill`; `few` tells that it is not worth a copy of the file.

    The caller holds the lock of the builders. Raises BrokenIndexError when the file turns out to be damaged.
    """
    with _store_errors(index):
        try:
            undo(index)
            if not (few and _in_place(index, fill)):
                _replace(index, fill, base=index)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise BrokenIndexError from error
            raise


def _in_place(index: Path, fill: Fill) -> bool:
    """Whether the change could be made in place: not when somebody reads the index for longer than a moment."""
    name = f"{index.resolve().as_uri()}?mode=rw"
    with closing(sqlite3.connect(name, uri=True, timeout=_WAIT, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = -65536")
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            return False
        try:
            fill(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return True


def _replace(index: Path, fill: Fill, base: Path | None) -> None:
    temporary = index.with_name(f".{index.name}.{os.getpid()}.tmp")
    packed = temporary.with_suffix(".tmp2")
    try:
        for left in index.parent.glob(f".{index.name}.*.tmp*"):
            left.unlink()  # a build that was killed left it; the lock says that none is running
        if base is not None:
            shutil.copyfile(base, temporary)
        with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
            connection.execute("PRAGMA page_size = 16384")
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA cache_size = -65536")
            connection.execute("PRAGMA secure_delete = OFF")  # a copy without what was deleted takes its place
            connection.execute("BEGIN")
            fill(connection)
            connection.execute("COMMIT")
            if base is None and _packed(connection, packed):
                os.replace(packed, temporary)
        with temporary.open("rb+") as stream:
            os.fsync(stream.fileno())
        try:
            undo(index)
        except sqlite3.Error:
            index.unlink(missing_ok=True)  # what it was before the change that a kill cut short cannot be had
        # A journal that was not needed is left by SQLite; it would be applied to the new file.
        journal(index).unlink(missing_ok=True)
        os.replace(temporary, index)
    finally:
        for left in (temporary, packed):
            left.unlink(missing_ok=True)


def _packed(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the database could be copied to `path` without the gaps that rows leave which were written twice."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    if pages * size > _LARGE:
        connection.execute(f"PRAGMA page_size = {2 * size}")
    try:
        connection.execute("VACUUM INTO ?", (str(path),))
    except sqlite3.OperationalError:
        return False  # there is no room for two
    return True


@contextmanager
def _store_errors(index: Path) -> Iterator[None]:
    """Turns what goes wrong while the index is written into a StoreError."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreError(
            f"the index cannot be written: {error}",
            location=Location(str(index)),
            hint="it can be deleted at any time; `kb index` makes it again",
        ) from error
