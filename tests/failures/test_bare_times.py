"""A time alone before all lines of one process is none of its words, also behind what gathered the lines."""

from __future__ import annotations

import pytest

from kb.failures.bare_times import timed
from kb.failures.find import find_failures

SAID = [
    "Worker 7: started",
    "Worker 7: job 3 failed (the child terminated unexpectedly; waitpid returned 11 (signal 11); )",
    "Worker 7: done, quitting",
]
TIMED = [f"11:21:0{second} {line}" for second, line in enumerate(SAID)]


def message(lines: list[str]) -> str:
    (failure,) = find_failures("".join(f"{line}\n" for line in lines)).failures
    return failure.message


@pytest.mark.parametrize("before", ["> ", "    ", "[pod/web-0/app] ", "2026-07-30T13:21:30.7846808Z "])
def test_a_message_is_the_same_with_and_without_the_times(before: str) -> None:
    assert message([before + line for line in TIMED]) == message([before + line for line in SAID]) == SAID[1]


def test_the_times_of_one_container_among_several_are_taken_off() -> None:
    others = [f"[pod/db-0/db] {line}" for line in ("ready", "waiting", "ready")]
    assert message([*(f"[pod/web-0/app] {line}" for line in TIMED), *others]) == SAID[1]


def test_times_that_only_some_of_the_lines_begin_with_are_the_programs_own() -> None:
    assert timed([("", line) for line in TIMED], framed=True) == {""}
    assert timed([("", line) for line in (SAID[0], *TIMED)], framed=True) == frozenset()
