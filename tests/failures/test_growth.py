"""A reader's work grows with the length of its log, whatever the log repeats; counted, never timed."""

from __future__ import annotations

from typing import Any

import pytest
from operations import calls, hostile, operations

from kb.failures.find import find_failures
from kb.failures.readers import junit
from kb.failures.registry import READERS, Entry, load
from kb.failures.streams import split_streams
from kb.signature.sign import sign

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


#: Of what a whole log is asked: errors in steps that failed, problems of a linter in them, chains, processes.
LOGS = {
    "steps that failed": "ERROR: part {n} broke\n##[error]Process completed with exit code 1.\n",
    "causes": "Caused by: a.B{n}: bad {n}\n\tat a.B.f{n}(B.java:{n})\n\t... {n} more\n",
    "suppressed": "\tSuppressed: a.B{n}: bad {n}\n\t\tat a.B.f{n}(B.java:{n})\n\t\t... {n} more\n",
    "processes": "(Worker_TP{n} pid={n}) ERROR it broke at {n}\n",
    "files": "==> /var/log/a{n}.log <==\nERROR: part {n} broke\n",
    "linted steps": "src/row{n}.py:{n}:1: E501 line too long ({n} > 79)\n##[error]Process completed with exit code 1.\n",
}


@pytest.mark.parametrize("name", LOGS)
def test_twice_as_many_failures_in_a_log_are_about_twice_the_work(name: str) -> None:
    def work(count: int) -> int:
        log = "".join(LOGS[name].format(n=number) for number in range(1, count + 1))
        return calls(lambda: [sign(failure) for failure in find_failures(log).failures])[0]

    work(4)
    assert work(1200) <= _BOUND * work(600)


class Sliced(str):
    """A text that counts the characters taken from it."""

    taken = 0

    def __getitem__(self, at: Any) -> str:
        part = super().__getitem__(at)
        Sliced.taken += len(part)
        return part


@pytest.mark.parametrize("close", ["</failure></testcase>", ""])
def test_a_report_of_junit_in_one_line_is_not_copied_for_each_failure(close: str) -> None:
    def taken(count: int) -> int:
        line = "<testsuite>" + f'<testcase name="t"><failure message="bad" type="E">x{close}' * count
        (stream,) = split_streams([line])
        Sliced.taken = 0
        assert list(junit.read([stream[0]._replace(text=Sliced(line))]))
        return Sliced.taken

    assert taken(2000) <= _BOUND * taken(1000)
