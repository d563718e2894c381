"""The readers, one per language or tool: which there are, and which words in a log call them.

A reader is a module with `NAME`, `ABOUT` (a line for people), `EXAMPLE` (a short log that it reads) and `read`. It is
imported only when the log holds one of its triggers, so that many readers cost nothing where they have nothing to do.
A new reader is a new file in `readers/` and a line here.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import NamedTuple, Protocol, cast

from kb.failures.found import Find
from kb.failures.streams import Stream


class Reader(Protocol):
    """What a reader's module holds."""

    NAME: str
    ABOUT: str
    EXAMPLE: str

    def read(self, lines: Stream) -> Iterator[Find]:
        """The failures of one stream, in the order of their lines."""


class Entry(NamedTuple):
    """A reader's module below `kb.failures.readers`, and the words of which a log must hold one (case matters)."""

    module: str
    triggers: tuple[str, ...]


#: In the order of trial: where two readers claim a line, the whole report wins, then the earlier reader.
READERS: tuple[Entry, ...] = (
    Entry(
        "python",
        ("Traceback", 'File "', "Error: ", "Exception", "Interrupt", "Timeout", "Expired", "Failed: ", "Exit: "),
    ),
    Entry("rich_box", ("╭─",)),
    Entry("faulthandler", ("Fatal Python error",)),
    Entry("elastic", ("Root Cause (first observed failure)", "Failures:")),
    Entry("pytest_report", ("E   ", "short test summary info")),
    Entry("cuda", ("Assertion `",)),
)


def load(entry: Entry) -> Reader:
    """The reader of `entry`, imported now."""
    return cast(Reader, importlib.import_module(f"kb.failures.readers.{entry.module}"))


def called(text: str) -> tuple[Reader, ...]:
    """The readers that `text` calls, in the order of trial."""
    return tuple(load(entry) for entry in READERS if any(word in text for word in entry.triggers))
