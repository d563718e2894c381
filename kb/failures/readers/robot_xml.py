"""Robot Framework's output.xml: tests that failed, with what they say; the log of those that passed is no failure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from kb.failures.found import Find, claimed, spotted
from kb.failures.streams import Stream

NAME = "robot-xml"
ABOUT = "Robot Framework's output.xml: tests that failed; what passing tests logged is no failure"
EXAMPLE = """\
<robot generator="Robot 7.5 (Python 3.11.7 on linux)" rpa="false" schemaversion="5">
<test id="s1-t1" name="Adds the tax" line="5">
<status status="FAIL" start="2026-11-30T02:32:05.150516" elapsed="0.028">119 != 120</status>
</test>
<statistics>
<total>
<stat pass="0" fail="1" skip="0">All Tests</stat>
</total>
</statistics>
</robot>
"""

_BEGIN = re.compile(r"\s*<robot\s")
_TEST = re.compile(r"\s*<test\s(?:[^>]{0,2000}\s)?name=\"(?P<name>[^\"]{0,1000})\"")
_STATUS = re.compile(r"\s*<status\s(?:[^>]{0,2000}\s)?status=\"(?P<status>[A-Z]{2,8})\"[^>]{0,2000}>?(?P<said>.*)$")
_TOTAL = re.compile(r"\s*<stat\s(?P<counts>[^>]{0,500})>All Tests</stat>")
_TYPED = re.compile(r"(?P<type>[A-Z]\w{0,80}(?:Error|Exception|Timeout|Expired)): (?P<message>.*)$", re.DOTALL)
_END = "</robot>"
_LONGEST = 40


def read(lines: Stream) -> Iterator[Find]:
    """One find per failed test; a harmless one for each of the others, or for the whole report when none failed."""
    begin = -1
    open_test, status = -1, -1
    total: re.Match[str] | None = None
    for index, line in enumerate(lines):
        text = line.text
        if "<" not in text:
            continue
        if _BEGIN.match(text):
            begin, total = index, None
        elif begin < 0:
            continue
        elif _TEST.match(text):
            open_test, status = index, -1
        elif open_test >= 0 and _STATUS.match(text):
            status = index
        elif open_test >= 0 and "</test>" in text:
            yield _test(lines, open_test, status, index)
            open_test = -1
        elif stat := _TOTAL.match(text):
            total = stat
        elif _END in text:
            if total is not None and 'fail="0"' in total["counts"]:
                yield _harmless(lines, begin, index)
            begin = -1


def _test(lines: Stream, begin: int, status: int, end: int) -> Find:
    """The test from `begin` to `end`; its own status is the last one in it."""
    told = _STATUS.match(lines[status].text) if status >= 0 else None
    if told is None or told["status"] != "FAIL":
        return _harmless(lines, begin, end)
    said = [told["said"]]
    for line in lines[status + 1 : min(end, status + _LONGEST)]:
        if "</status>" in said[-1]:
            break
        said.append(line.text)
    message = html.unescape("\n".join(said).partition("</status>")[0]).strip()
    name = "FAIL"
    if typed := _TYPED.match(message):
        name, message = typed["type"], typed["message"]
    test = _TEST.match(lines[begin].text)
    return spotted(
        NAME, "error", name, message or "the test failed", lines[status], lines[begin : end + 1],
        notes=(html.unescape(test["name"]),) if test else (), weight=-1,
    )  # fmt: skip


def _harmless(lines: Stream, begin: int, end: int) -> Find:
    block, why = lines[begin : end + 1], "logged by tests that passed (Robot Framework)"
    return claimed(NAME, "test", "Robot Framework", "tests passed", lines[end], block, why)
