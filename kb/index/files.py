"""The session records of a knowledge base as files, without reading what is in them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kb.errors import InputError, Location
from kb.home import Home

#: As kb.record.folder has it, which cannot be imported here: it loads the reader of records. A test compares the two.
_NO_RECORDS = frozenset({"README.md"})

#: Well above the limit of a record: what is longer is refused by the reader after so many bytes.
_MOST = 1 << 20


class Stat(NamedTuple):
    """Size in bytes and time of the last change in nanoseconds."""

    size: int
    mtime: int


def listing(home: Home) -> dict[str, Stat]:
    """The session records of `home`, by their path below its root, sorted; empty when there is no such folder."""
    folder = home.sessions.relative_to(home.root).as_posix()
    return {f"{folder}/{name}": stat for name, stat in sorted(_records(home.sessions))}


def read_hashed(home: Home, path: str) -> tuple[bytes, str]:
    """The bytes of a session record and their sha256; of a file far too long to be one, only the first bytes."""
    try:
        with (home.root / path).open("rb") as stream:
            data = stream.read(_MOST)
            digest = hashlib.sha256(data)
            while more := stream.read(_MOST):
                digest.update(more)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", location=Location(path)) from error
    return data, digest.hexdigest()


def _records(folder: Path) -> Iterator[tuple[str, Stat]]:
    """Name and stat of every record; plain strings, since `kb triage` asks this on every call."""
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"cannot read the folder: {error.strerror}", location=Location(str(folder))) from error
    for entry in entries:
        name = entry.name
        if not name.endswith(".md") or name.startswith(".") or name in _NO_RECORDS or not entry.is_file():
            continue
        stat = entry.stat()
        yield name, Stat(stat.st_size, stat.st_mtime_ns)
