"""Every reader is registered, says what it is for, and reads its own example."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.failures import readers
from kb.failures.find import find_failures
from kb.failures.registry import READERS, Entry, called, load
from kb.failures.streams import split_streams

#: Modules in `readers/` that are no readers of their own: grammar shared by readers, and the last, general one.
NOT_READERS = {
    "line_shapes", "__init__", "traceback", "native_frames", "general", "java_frames", "logged", "user_code",
    "python_titles", "cells",
}  # fmt: skip


def test_every_reader_is_in_the_registry() -> None:
    files = {p.stem for p in Path(readers.__path__[0]).glob("*.py")}
    assert files - NOT_READERS == {entry.module for entry in READERS}


#: Readers that find no failure of their own: they tell what is none.
QUIET = {"configure_log", "passed", "patches", "tap_passed"}


@pytest.mark.parametrize("entry", [e for e in READERS if e.module not in QUIET], ids=lambda e: e.module)
def test_a_reader_reads_its_own_example(entry: Entry) -> None:
    reader = load(entry)
    assert reader.ABOUT
    found = find_failures(reader.EXAMPLE)
    assert any(failure.reader == reader.NAME for failure in found.failures)


@pytest.mark.parametrize("entry", READERS, ids=lambda e: e.module)
def test_a_reader_is_called_by_its_own_example(entry: Entry) -> None:
    assert load(entry) in called(load(entry).EXAMPLE)


def test_what_tests_print_that_pass_is_no_failure() -> None:
    reader = load(next(entry for entry in READERS if entry.module == "passed"))
    passed = list(reader.read(split_streams(reader.EXAMPLE.split("\n"))[0]))
    assert [find.harmless for find in passed] == ["printed by tests that passed (cargo test)"]
    failures = find_failures(reader.EXAMPLE).failures
    assert [failure.message for failure in failures] == ["error: cannot reach the registry"]
    failed = reader.EXAMPLE.replace("test result: ok. 2 passed", "test result: FAILED. 1 passed")
    assert any("no such account" in failure.message for failure in find_failures(failed).failures)
