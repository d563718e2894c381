"""TAP, the protocol of Perl's tests, bats and many others: what passing tests print is no failure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, claimed
from kb.failures.streams import Stream

NAME = "tap-passed"
ABOUT = "TAP of Perl, bats and others: what passing tests print is no failure"
EXAMPLE = """\
1..2
Segmentation fault (core dumped)
ok 1 - sees that the program crashed
error: cannot reach the registry
not ok 2 - asks the registry
"""

_PLAN = re.compile(r"1\.\.(?P<tests>[1-9]\d{0,6})(?:\s|$)")
_RESULT = re.compile(r"(?P<ok>ok|not ok) (?P<number>\d{1,7})(?: (?:- )?(?P<test>\S.{0,500}))?$")
#: A test that is to be done later, or was left out, may fail.
LATER = re.compile(r"#\s{0,4}(?:TODO|SKIP)\b", re.IGNORECASE)


def read(lines: Stream) -> Iterator[Find]:
    """One harmless find per passing test: it claims what the test printed before every other reader does."""
    if not any(_PLAN.match(line.text) for line in lines):
        return
    after, passed = 0, True
    for index, line in enumerate(lines):
        text = line.text
        if _PLAN.match(text):
            after, passed = index, True
            continue
        result = _RESULT.match(text)
        if result is None:
            continue
        good = result["ok"] == "ok" or LATER.search(text) is not None
        if good and passed:
            yield _harmless(lines, after, index)
        after, passed = index + 1, good


def _harmless(lines: Stream, start: int, end: int) -> Find:
    """What stands between the results of two passing tests, or of the plan and the first, is of one of them."""
    block, why = lines[start : end + 1], "printed by a test that passed (TAP)"
    return claimed(NAME, "test", "TAP", "a test passed", lines[end], block, why)
