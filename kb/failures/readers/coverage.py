"""Coverage of tests below what was asked for: the tests passed, and the run failed all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, first_said, spotted
from kb.failures.streams import Stream

NAME = "coverage"
ABOUT = "Jest, nyc, c8, Vitest, coverage.py, pytest-cov, SimpleCov, JaCoCo: coverage below the least that was asked for"
EXAMPLE = """\
Jest: "global" coverage threshold for branches (80%) not met: 61.5%
Tests:       14 passed, 14 total
"""

#: The least and what was reached, as each tool tells them.
UNMET = re.compile(
    r"(?:ERROR: |Jest: )?(?:Uncovered count for .{1,80} exceeds .{1,20}threshold"
    r"|\".{1,300}\" coverage threshold for \w{1,20} \(.{1,20}\) not met"
    r"|Coverage for \w{1,20} \(.{1,20}\) does not meet (?:.{1,300} )?threshold"
    r"|Coverage failure: total of \S{1,20} is less than fail-under="
    r"|FAIL Required test coverage of \S{1,20} not reached"
    r"|(?:Line|Branch|Method) coverage .{0,40}\(\S{1,20}\) is below the expected minimum coverage)"
    r"|.{0,40}Rule violated for .{1,300}: .{1,60} is \S{1,20}, but expected (?:min|max)imum is "
)
_LONGEST = 1_000
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")


def read(lines: Stream) -> Iterator[Find]:
    """One find per least that was not reached."""
    seen: dict[str, Find] = {}
    for line in lines:
        text = line.text.strip()
        if not 20 < len(text) < _LONGEST or UNMET.match(text) is None:
            continue
        find = spotted(NAME, "build", "coverage", text, line, [line], weight=1)
        if first_said(seen, _NUMBERS.sub("", text), find):
            yield find
