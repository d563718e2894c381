"""A reader's work grows with the length of its log, whatever the log repeats; counted, never timed."""

from __future__ import annotations

import pytest
from operations import calls, hostile, operations

from kb.failures.find import find_failures
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


#: Of what a whole log is asked: errors in steps that failed, problems of a linter in them.
LOGS = {
    "steps that failed": "ERROR: part {n} broke\n##[error]Process completed with exit code 1.\n",
    "linted steps": "src/row{n}.py:{n}:1: E501 line too long ({n} > 79)\n##[error]Process completed with exit code 1.\n",
}


@pytest.mark.parametrize("name", LOGS)
def test_twice_as_many_failures_in_a_log_are_about_twice_the_work(name: str) -> None:
    def work(count: int) -> int:
        log = "".join(LOGS[name].format(n=number) for number in range(1, count + 1))
        return calls(lambda: find_failures(log))[0]

    work(4)
    assert work(1200) <= _BOUND * work(600)
