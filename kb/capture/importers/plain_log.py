"""A plain log: what is left when a text is of no other format."""

from __future__ import annotations

import os
from pathlib import Path

from kb.capture.importers.source import Source
from kb.capture.importers.told import Saw, Story
from kb.failures.lines import decode

#: Of a log that is larger than what is read of a file, so many bytes of its beginning and its end are.
_BEGINNING, _END = 8 << 20, 48 << 20


def knows(_path: Path, head: bytes) -> bool:
    """Whether it is text at all, in UTF-8 or UTF-16."""
    return b"\0" not in head or head.startswith((b"\xff\xfe", b"\xfe\xff"))


def read(source: Source) -> Story:
    """The log as evidence."""
    unknown = ("which command wrote the log",)
    text = source.text
    lost: tuple[str, ...] = ()
    if source.unread:
        text, lost = _both_ends(source)
    return Story((Saw(text, source.name),) if text.strip() else (), lost=lost, unknown=unknown)


def _both_ends(source: Source) -> tuple[str, tuple[str, ...]]:
    """The beginning and the end of a log that is too large: it mostly fails at its end."""
    try:
        with source.path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(_BEGINNING, size - _END))
            end = stream.read(_END)
    except OSError as error:
        return source.text, (f"the end of the log: {error.strerror}",)
    left = size - _BEGINNING - len(end)
    beginning = decode(source.data[:_BEGINNING]).rpartition("\n")[0]
    return f"{beginning}\n{decode(end).partition(chr(10))[2]}", (f"{left:,} bytes in the middle of the log",)
