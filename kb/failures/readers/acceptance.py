"""Robot Framework and behave: keywords and steps that failed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.streams import Stream

NAME = "acceptance"
ABOUT = "Robot Framework, behave, Cucumber: tests, keywords and steps that failed"
EXAMPLE = """\
Adds                                                                  | FAIL |
119 != 120
------------------------------------------------------------------------------
"""

_ROBOT = re.compile(r"(?P<test>\S.{0,500}?)\s+\| FAIL \|$")
_RULE = re.compile(r"[-=]{20,200}$")
_COUNTS = re.compile(r"\d{1,7} tests?, \d{1,7} passed, \d{1,7} failed")
_BEHAVE = re.compile(r"\s{4,12}ASSERT FAILED: (?P<message>\S.*)$")
#: Of Cucumber: a step behind a cross, and its error deeper inside.
_CUCUMBER = re.compile(
    r"\s{2,8}✖ (?P<step>(?:Given|When|Then|And|But|\*|Before|After)\b.{0,500}?)(?: # \S{1,400}:\d{1,7})?$"
)
_RAISED = re.compile(r"\s{6,12}(?P<type>[A-Z][\w$.]{0,100}(?:Error|Exception))(?: \[\w{1,80}\])?: (?P<message>\S.*)$")
_STEP = re.compile(r"\s{2,10}(?P<step>(?:Given|When|Then|And|But|\*) .{1,500}?)\s+# \S{1,400}:\d{1,7}$")
_LONGEST = 30


def read(lines: Stream) -> Iterator[Find]:
    """One find per failed test of Robot Framework and per failed step of behave."""
    for index, line in enumerate(lines):
        if (robot := _ROBOT.match(line.text)) is not None and index + 1 < len(lines):
            find = _robot(lines, index, robot["test"])
            if find is not None:
                yield find
        elif (failed := _BEHAVE.match(line.text)) is not None:
            step = _STEP.match(lines[index - 1].text) if index else None
            block = lines[max(index - 1, 0) : index + 1] if step else [line]
            notes = (step["step"],) if step else ()
            yield spotted(NAME, "error", "AssertionError", failed["message"], line, block, notes=notes)
        elif (cucumber := _CUCUMBER.match(line.text)) is not None and index + 1 < len(lines):
            find = _cucumber(lines, index, cucumber["step"])
            if find is not None:
                yield find


def _cucumber(lines: Stream, index: int, step: str) -> Find | None:
    raised = _RAISED.match(lines[index + 1].text)
    if raised is None:
        return None
    end = index + 2
    while end < len(lines) and end - index < _LONGEST and lines[end].text.startswith("      "):
        end += 1
    return spotted(
        NAME, "error", raised["type"], raised["message"], lines[index + 1], lines[index:end], notes=(step.strip(),)
    )


def _robot(lines: Stream, index: int, test: str) -> Find | None:
    end = index + 1
    while end < len(lines) and end - index < _LONGEST and not _RULE.match(lines[end].text):
        end += 1
    if end == index + 1 or _COUNTS.match(lines[index + 1].text):
        return None
    message = "\n".join(line.text.strip() for line in lines[index + 1 : end])
    return spotted(NAME, "error", "FAIL", message, lines[index + 1], lines[index:end], notes=(test,))
