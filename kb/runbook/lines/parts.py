"""The parts of a rule for one line: literals and gaps, which the browser matches itself, in linear time.

They are a signature's segments, with what is not ASCII as a gap of its own (but where the whole message is in another
script) and with marks for the ends of a word and of the line. A row of the browser's data carries them as they are: no
engine of regular expressions takes part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from kb.signature.gaps import GAPS
from kb.signature.model import Segment
from kb.signature.pattern import escape

#: What only these rules know, beside the gaps of signatures: text that is not ASCII, no letter before or after this
#: place, and nothing but marks up to the end of the line.
OTHER, BEGIN, OVER, LAST = "other", "begin", "over", "last"
_MARKS = {
    OTHER: "[^ -~]+",
    BEGIN: "(?:^|[^0-9A-Za-z_])",
    OVER: "(?:$|[^0-9A-Za-z_])",
    LAST: r"[ \t.,;:]*$",
}
#: The names of all gaps; a row says a gap by its place here.
NAMES = (*GAPS, *_MARKS)
END_MARKS = " \t.,;:"
_TO_THE_END = (Segment("", LAST),)
_PLACE = {name: place for place, name in enumerate(NAMES)}

Parts = tuple[Segment, ...]

_OTHER = re.compile("([^\x00-\x7f]+)")
_WORD = re.compile(r"[A-Za-z0-9_]+")
_UNKNOWN = "\0"
#: What stands for a gap where words are looked for: gaps that hold no character of a word are as good as a space.
_BETWEEN = {"quote": " ", "value": f" {_UNKNOWN} ", OTHER: " ", BEGIN: " ", OVER: " ", LAST: " "}
_SHORTEST_WORD, _SHORTEST_PAIR = 3, 5


def mark(name: str) -> Segment:
    """A part that is no literal."""
    return Segment("", name)


def parts_of(segments: Iterable[Segment]) -> Parts:
    """`segments` as parts."""
    return tuple(_split(segments))


def _split(segments: Iterable[Segment]) -> Iterator[Segment]:
    for segment in segments:
        if segment.gap or segment.text.isascii():
            if segment.gap or segment.text:
                yield segment
            continue
        for place, text in enumerate(_OTHER.split(segment.text)):
            if text:
                yield mark(OTHER) if place % 2 else Segment(text)


def as_regex(parts: Parts) -> str:
    """The regular expression that says the same, for people and for tests."""
    return "".join(
        (GAPS[one.gap].regex if one.gap in GAPS else _MARKS[one.gap]) if one.gap else _exact(one.text) for one in parts
    )


def _exact(literal: str) -> str:
    """A literal as a regular expression, in any script."""
    return "".join(part if place % 2 else escape(part) for place, part in enumerate(_OTHER.split(literal)))


def as_row(parts: Parts) -> list[str | int]:
    """The parts as data: a literal is text, a gap a number."""
    return [_PLACE[one.gap] if one.gap else one.text for one in parts]


def in_order(parts: Parts, line: str) -> bool:
    """Whether the literals stand in `line`, one after the other: the parts match hardly any other line."""
    at = 0
    for place, one in enumerate(parts):
        if one.gap:
            continue
        if parts[place + 1 :] == _TO_THE_END:
            return line.rstrip(END_MARKS).endswith(one.text.rstrip(END_MARKS), at)
        at = line.find(one.text, at)
        if at < 0:
            return False
        at += len(one.text)
    return True


def side_by_side(parts: Parts, line: str) -> bool:
    """Whether the first literal begins what `as_regex` finds in `line`, each gap as long as it can be: what only a
    shorter gap would find, and what begins with a gap, is not found here."""
    at = line.find(parts[0].text) if not parts[0].gap else -1
    for one in parts if at >= 0 else ():
        if not one.gap:
            if not line.startswith(one.text, at):
                return False
            at += len(one.text)
        elif found := _gap(one.gap).match(line, at):
            at = found.end()
        else:
            return False
    return at >= 0


@cache
def _gap(name: str) -> re.Pattern[str]:
    return re.compile(as_regex((mark(name),)))


def longest(parts: Parts) -> str:
    """The longest literal, without space at its ends."""
    return max((one.text.strip() for one in parts if not one.gap), key=len, default="")


def keys_of(parts: Parts) -> tuple[str, ...]:
    """What every matching line holds whole: words, and pairs of words with no other word between, as `one two`."""
    text = "".join(_BETWEEN.get(one.gap, _UNKNOWN) if one.gap else one.text for one in parts)
    found: dict[str, None] = {}
    before, end = "", 0
    for match in _WORD.finditer(text):
        start, stop = match.span()
        whole = start > 0 and stop < len(text) and text[start - 1] != _UNKNOWN and text[stop] != _UNKNOWN
        word = match[0] if whole else ""
        if before and word and _UNKNOWN not in text[end:start] and telling_pair(before, word):
            found[f"{before} {word}"] = None
        if len(word) >= _SHORTEST_WORD and not word.isdigit():
            found[word] = None
        before, end = word, stop
    return tuple(found)


def telling_pair(one: str, other: str) -> bool:
    """Whether two words in a row say more than a number does."""
    return len(one) + len(other) >= _SHORTEST_PAIR and not (one + other).isdigit()


def bounded(parts: Parts) -> Parts:
    """The parts, with no letter before the first and after the last."""
    head = (mark(BEGIN),) if not parts[0].gap and _WORD.match(parts[0].text) else ()
    tail = (mark(OVER),) if not parts[-1].gap and _WORD.match(parts[-1].text[-1]) else ()
    return (*head, *parts, *tail)
