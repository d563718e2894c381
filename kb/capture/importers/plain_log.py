"""A plain log: what is left when a text is of no other format."""

from __future__ import annotations

from pathlib import Path

from kb.capture.importers.source import Source
from kb.capture.importers.told import Saw, Story


def knows(_path: Path, head: bytes) -> bool:
    """Whether it is text at all, in UTF-8 or UTF-16."""
    return b"\0" not in head or head.startswith((b"\xff\xfe", b"\xfe\xff"))


def read(source: Source) -> Story:
    """The log as evidence."""
    unknown = ("which command wrote the log",)
    return Story((Saw(source.text, source.name),) if source.text.strip() else (), unknown=unknown)
