"""What code under test printed while its tests ran, where the test tool reports all failing tests at the end.

An error printed by a test that passes, on purpose or not, stands before the report and would be the first failure.
"""

from collections.abc import Sequence

from kb.expressions import late
from kb.failures.found import Find
from kb.failures.streams import Stream

_KINDS = frozenset({"exception", "error", "error-line", "panic"})
_WHY = "printed while the tests ran; their report below says what failed"


#: How the report of the failing tests begins: a line, and what the line after it, or the next but one, must be.
_BEGIN = late(
    r"={70}$|Failures:$|There (?:was|were) \d{1,6} (?:failures?|errors?):$|  \d{1,6} failing$"
    r"|={3,80} FAILURES ={3,80}$"
)
_FIRST = late(
    r"(?:ERROR|FAIL): (?:\w{1,300} \(|[\w.]{1,300}$)|  1\) |1\) [\w\\]{1,300}::|_{2,100} \S.{0,300} _{2,100}$"
)
#: What such a line begins with: most lines need no expression.
_BEGINS = ("=====", "Failures:", "There w", "  ")


def told_in_report(stream: Stream, finds: Sequence[Find]) -> None:
    """Make those of `finds` that were printed before the report of failing tests in `stream` follow from it."""
    if len(finds) < 2:
        return
    for index, line in enumerate(stream):
        if not (line.text.startswith(_BEGINS) and _BEGIN.match(line.text)):
            continue
        if not any(_FIRST.match(after.text) for after in stream[index + 1 : index + 3]):
            continue
        if not any(find.at.number > line.number and find.weight <= 1 for find in finds):
            return
        for find in finds:
            if find.at.number < line.number and find.kind in _KINDS and not (find.cascade or find.teardown):
                find.cascade = _WHY
        return
