"""The steps of a CI job that failed: from the line that shows a step's command to the runner's word that it failed.

What failed stands in such a step: errors in the others did not end the job.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from kb.failures.streams import Stream

#: Words of which a log must hold one to have failed steps.
WORDS = (
    "exited with",
    "xited with code",
    "completed with exit code",
    "script returned exit code",
    "Job failed: ",
    "did not exit successfully",
)
_LONGEST = 2_000


class Step(NamedTuple):
    """A failed step: the places in its stream of its first line of output and of the line that says that it failed."""

    start: int
    end: int


class _Runner(NamedTuple):
    """How a runner says that a step failed (a group names the command), and how a step begins."""

    failed: re.Pattern[str]
    begins: re.Pattern[str]


@cache
def _runners() -> tuple[_Runner, ...]:
    return (
        _Runner(
            re.compile(
                r"The command \\?[\"'](?P<command>.{1,1500}?)\\?[\"'] (?:failed and )?exited with (?:status )?[1-9]"
            ),
            re.compile(r"\$ (?P<command>\S.*)"),
        ),
        _Runner(
            re.compile(r"(?:##\[error\])?Process completed with exit code [1-9]"),
            re.compile(r"##\[group\]Run (?P<command>.*)|##\[endgroup\]$"),
        ),
        _Runner(
            re.compile(r"ERROR: Job failed: (?:exit (?:code|status) |command terminated)"),
            re.compile(r"\$ (?P<command>\S.*)"),
        ),
        _Runner(
            re.compile(r"(?:ERROR: )?script returned exit code [1-9]"),
            re.compile(r"\+ (?P<command>\S.*)|\[Pipeline\] "),
        ),
        _Runner(
            re.compile(r"Exited with code (?:exit status )?[1-9]"),
            re.compile(r"#!/bin/(?:ba)?sh -\w+(?: -o pipefail)?(?P<command>)$"),
        ),
        _Runner(re.compile(r"Command exited with code [1-9]"), re.compile(r"(?!)")),
        _Runner(
            re.compile(r"Command did not exit successfully (?P<command>.{1,1500}) exit status [1-9]"),
            re.compile(r"Running command (?P<command>\S.*)"),
        ),
        _Runner(re.compile(r"Process exited with code [1-9]"), re.compile(r"Step \d{1,3}/\d{1,3}: (?P<command>)")),
        _Runner(
            re.compile(r"(?:\S{1,4} )?Error: The command exited with status [1-9]"), re.compile(r"\$ (?P<command>\S.*)")
        ),
    )


def failed_steps(lines: Stream) -> list[Step]:
    """The failed steps of a stream, in its order; each begins after the end of the one before it at the earliest."""
    steps: list[Step] = []
    for place, line in enumerate(lines):
        text = line.text
        if len(text) > _LONGEST or not any(word in text for word in WORDS):
            continue
        found = next(((one, match) for one in _runners() if (match := one.failed.match(text))), None)
        if found is not None:
            earliest = steps[-1].end + 1 if steps else 0
            command = found[1].groupdict().get("command") or ""
            steps.append(Step(_begin(lines, earliest, place, found[0], command), place))
    return steps


def _begin(lines: Stream, earliest: int, end: int, runner: _Runner, command: str) -> int:
    """Where the output of the step that ends at `end` begins: behind its command, else behind any step's beginning."""
    nearest = None
    for place in range(end - 1, earliest - 1, -1):
        begins = runner.begins.match(lines[place].text[:_LONGEST])
        if begins is None:
            continue
        if nearest is None:
            nearest = place
            if not command:
                break
        if command and begins["command"] and _same(begins["command"], command):
            return place + 1
    return earliest if nearest is None else nearest + 1


def _same(shown: str, command: str) -> bool:
    return shown.strip() == command.strip() or (len(shown) > 3 and command.startswith(shown.rstrip(" \\")))


class Spans:
    """Runs of numbers, of which a log may hold very many: each look takes the logarithm of how many."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        """`spans` are pairs of a first number and of the one behind the last; they may overlap."""
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def __contains__(self, number: int) -> bool:
        place = bisect_right(self._starts, number) - 1
        return place >= 0 and number < self._ends[place]
