"""Writing files so that a reader sees the old content or the new one, never a part of either."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path` through a temporary file in the same folder and one rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        publish(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def publish(temporary: str, path: Path) -> None:
    """Rename a temporary file of the same folder to `path`, readable as the one there was, or any other file."""
    os.chmod(temporary, _mode(path))
    os.replace(temporary, path)


def _mode(path: Path) -> int:
    """Who may read and write what is put in the place of `path`."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        # mkstemp makes files private; a knowledge base is shared like any other source file.
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 with `\\n` line ends, atomically."""
    write_bytes(path, text.encode("utf-8"))
