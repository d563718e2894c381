"""All data files that the pages load, by name."""

from __future__ import annotations

from collections.abc import Iterator

from kb.runbook.data.rules import rule_files
from kb.runbook.data.search import Remembered, afresh, search_file
from kb.runbook.library import Library


def data_files(library: Library, remembered: Remembered = afresh) -> Iterator[tuple[str, str]]:
    """The name of each data file, relative to the data folder, and its text."""
    yield from rule_files(library)
    yield search_file(library, remembered)
