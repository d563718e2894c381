"""The head that a test runner prints over what a test raised: with it the report names the test."""

from collections.abc import Sequence
from typing import NamedTuple

from kb.expressions import late
from kb.failures.found import Find
from kb.failures.streams import Stream

#: Right above what was raised: the line that names the test; of a suite there may be one more above.
_ABOVE = late(
    r".{1,500}<<< (?:FAILURE|ERROR)!(?: .{0,300})?$|.{1,500} > .{1,500} FAILED$"
    r"|(?:FAIL|ERROR): [\w.]{1,400}(?: \(.{1,400}\))?$|---- \S.{0,300} stdout ----$"
)
_RULE = "-" * 70
#: Over the source that pytest shows.
_TITLE = late(r"_{2,100} \S.{0,400}? _{2,100}$|_? (?:Test\w{1,80}\.)?test_\S{1,300}(?: .{0,100})? _?$")
#: What stands between the lines of one test in pytest's report, and what ends it.
_END = late(r"=======|-{20,100} Captured |_{2,100} \S.{0,400} _{2,100}$")
_PLACE = late(r"[^\s:][^:\n]{0,500}:\d{1,9}: (?:in \S+|[A-Za-z_][\w.]*)?$")
_NEAR = 2
_FAR = 120
_BELOW = 3
_MARKS = (" <<< ", " FAILED", "FAIL: ", "ERROR: ", "---- ", "____", " test_", "-----")


class _Heads(NamedTuple):
    place: dict[int, int]
    above: frozenset[int]
    titles: frozenset[int]


def with_heads(stream: Stream, finds: Sequence[Find]) -> None:
    """Let the reports of `finds` begin with the lines of `stream` that name the test that failed."""
    marked = [place for place, line in enumerate(stream) if any(mark in line.text for mark in _MARKS)]
    if not marked:
        return
    heads = _heads(stream, marked)
    if not heads.above and not heads.titles:
        return
    for find in finds:
        place = heads.place.get(find.first)
        if place is None or find.kind in ("build", "lint"):
            continue
        start = _start(stream, place, heads)
        if start < place:
            find.first = stream[start].number
            find.lines.update(line.number for line in stream[start:place])
            if find.reader == "pytest":
                _until_place(stream, heads.place.get(find.last, place), find, heads.titles)


def _heads(stream: Stream, marked: Sequence[int]) -> _Heads:
    above = frozenset(place for place in marked if _ABOVE.match(stream[place].text))
    titles = frozenset(place for place in marked if _TITLE.match(stream[place].text))
    return _Heads({line.number: place for place, line in enumerate(stream)}, above, titles)


def _start(stream: Stream, place: int, heads: _Heads) -> int:
    start = place - 1 if place and stream[place - 1].text == _RULE else place
    while start and place - start <= _NEAR and start - 1 in heads.above:
        start -= 1
    if start in heads.above:
        return start
    for before in range(place - 1, max(-1, place - _FAR), -1):
        if before in heads.titles:
            return before
        if _END.match(stream[before].text):
            break
    return place


def _until_place(stream: Stream, end: int, find: Find, titles: frozenset[int]) -> None:
    """Let the report end with the line that says where the test failed."""
    for place in range(end + 1, min(end + 1 + _BELOW, len(stream))):
        if place in titles or _END.match(stream[place].text):
            return
        if _PLACE.match(stream[place].text):
            find.lines.update(line.number for line in stream[end + 1 : place + 1])
            find.last = stream[place].number
            return
