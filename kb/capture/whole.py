"""Whole logs beside their record: redacted line by line, compressed, named by the hash of what is stored."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from kb.atomic import publish
from kb.errors import Location, WriteError

#: Zstandard's own default is 3; logs gain little from more.
_LEVEL = 6


def keep_whole(stream: BinaryIO, folder: Path, name: str, line: Callable[[str], str]) -> tuple[Path, str]:
    """Write what `stream` yields into `folder`, as `name` with `.zst`: the file, and the SHA-256 of its content.

    Every line passes `line` first, so the hash is of the redacted content and says nothing of what was taken out. A
    file of that name with another content stays, and the new one has a part of its hash in its name. Memory is bounded
    by the longest line.
    """
    import zstandard

    digest = sha256()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    except OSError as error:
        raise WriteError(f"cannot be made: {error.strerror}", location=Location(str(folder))) from error
    try:
        with os.fdopen(handle, "wb") as raw:
            with zstandard.ZstdCompressor(level=_LEVEL).stream_writer(raw, closefd=False) as packed:
                for one in stream:
                    clean = line(one.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
                    digest.update(clean)
                    packed.write(clean)
            raw.flush()
            os.fsync(raw.fileno())
        found = digest.hexdigest()
        path = _free(folder, name, found)
        publish(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path, found


def read_whole(path: Path) -> bytes:
    """The content of a file that `keep_whole` wrote."""
    import zstandard

    with path.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as stream:
        return bytes(stream.read())


def _free(folder: Path, name: str, digest: str) -> Path:
    path = folder / f"{name}.zst"
    if not path.exists() or sha256(read_whole(path)).hexdigest() == digest:
        return path
    stem, dot, ending = name.partition(".")
    return folder / f"{stem}-{digest[:8]}{dot}{ending}.zst"
