"""One writer of a record at a time; the system frees the lock when its process dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kb.errors import Location, WriteError

#: How long a writer waits for another one, in seconds, and how often it looks.
PATIENCE = 30.0
_PAUSE = 0.02


@contextmanager
def locked(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock file `path`, made when missing. Raises WriteError when another process keeps it for too long."""
    handle = _open(path)
    try:
        until = time.monotonic() + patience
        while not _taken(handle):
            if time.monotonic() >= until:
                hint = "another kb is writing this session; try again"
                raise WriteError("the session is locked", location=Location(str(path)), hint=hint)
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(handle)


def is_locked(path: Path) -> bool:
    """Whether some process holds the lock file `path` now."""
    if not path.exists():
        return False
    handle = _open(path)
    try:
        return not _taken(handle)
    finally:
        os.close(handle)


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        message = f"cannot be made: {error.strerror}"
        raise WriteError(message, location=Location(str(path)), hint="a session needs to write here") from error


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
