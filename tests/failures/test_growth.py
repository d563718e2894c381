"""A reader's work grows with the length of its log, whatever the log repeats; counted, never timed."""

from __future__ import annotations

import pytest
from operations import hostile, operations

from kb.failures.registry import READERS, Entry, load

#: Twice the lines may cost this many times the operations; a quadratic reader costs four times as many.
_BOUND = 2.7
#: Below, fixed costs blur the ratio.
_FEW = 4_000


@pytest.mark.parametrize("entry", READERS, ids=lambda e: e.module)
def test_twice_the_lines_are_about_twice_the_work(entry: Entry) -> None:
    reader = load(entry)
    for log in hostile(reader.EXAMPLE):
        operations(reader, log, 8)  # what is compiled when it is first needed is no growth
        twice = operations(reader, log, 320)
        if twice > _FEW:
            assert twice <= _BOUND * operations(reader, log, 160), f"{log.name}: {log.first[:3]!r}"
