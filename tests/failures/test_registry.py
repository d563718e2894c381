"""Every reader is registered, says what it is for, and reads its own example."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.failures import readers
from kb.failures.find import find_failures
from kb.failures.registry import READERS, Entry, called, load

#: Modules in `readers/` that are no readers of their own: grammar shared by readers, and the last, general one.
NOT_READERS = {"line_shapes", "__init__", "traceback", "native_frames", "general", "java_frames", "logged"}


def test_every_reader_is_in_the_registry() -> None:
    files = {p.stem for p in Path(readers.__path__[0]).glob("*.py")}
    assert files - NOT_READERS == {entry.module for entry in READERS}


@pytest.mark.parametrize("entry", READERS, ids=lambda e: e.module)
def test_a_reader_reads_its_own_example(entry: Entry) -> None:
    reader = load(entry)
    assert reader.ABOUT
    found = find_failures(reader.EXAMPLE)
    assert any(failure.reader == reader.NAME for failure in found.failures)


@pytest.mark.parametrize("entry", READERS, ids=lambda e: e.module)
def test_a_reader_is_called_by_its_own_example(entry: Entry) -> None:
    assert load(entry) in called(load(entry).EXAMPLE)
