"""Reading a log from a file or standard input."""

from __future__ import annotations

import io
import os
import sys
from typing import BinaryIO, cast

from kb.cli.terminal import note
from kb.errors import InputError, Location

#: What begins a file that is no text: gzip, zstd, xz, bzip2, zip.
_PACKED = {
    b"\x1f\x8b": ("gzip", "zcat"),
    b"\x28\xb5\x2f\xfd": ("zstd", "zstdcat"),
    b"\xfd7zXZ": ("xz", "xzcat"),
    b"BZh": ("bzip2", "bzcat"),
    b"PK\x03\x04": ("zip", "unzip -p"),
}
_HEAD = 4096


def read_input(name: str, large: int) -> bytes | BinaryIO:
    """The log `name`, standard input for "-": its bytes, or a stream of them when there are more than `large`.

    Raises `InputError` when it cannot be read or is no text.
    """
    if name == "-":
        if sys.stdin.isatty():
            note("reading the log from the terminal; end it with Ctrl-D")
        head = sys.stdin.buffer.read(large + 1)
        _need_text(head, name)
        return head if len(head) <= large else cast(BinaryIO, _Joined(head, sys.stdin.buffer))
    try:
        stream = open(name, "rb")  # noqa: SIM115 - a large one is handed over open
        if os.fstat(stream.fileno()).st_size > large:
            _need_text(stream.read(_HEAD), name)
            stream.seek(0)
            return stream
        with stream:
            data = stream.read()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", location=Location(name)) from error
    _need_text(data, name)
    return data


def _need_text(head: bytes, name: str) -> None:
    """Refuse what only looks healthy because it is no text."""
    for magic, (what, reader) in _PACKED.items():
        if head.startswith(magic):
            shown = "this input" if name == "-" else name
            raise InputError(
                f"is compressed ({what}), not text", location=Location(name), hint=f"`{reader} {shown} | kb triage`"
            )


class _Joined(io.RawIOBase):
    """Bytes already read, and then the rest of a stream."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes."""
        if self._head:
            data, self._head = (self._head[:size], self._head[size:]) if size >= 0 else (self._head, b"")
            return data
        return self._rest.read(size)
