"""The outline of a record that uses no more of Markdown than records need: headings, fences at the margin, paragraphs.

Nearly all do, and reading those takes a tenth of what a parser of all of Markdown takes. Where a line could be anything
else, nothing is said, and the parser reads the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

_MARK = "---"
#: Other lines than those which begin so are text, or empty.
_FIRST = frozenset("`~# \t>=<[-*+_0123456789")
#: A line that begins a fence or a heading, or may belong to a list, a quote, indented code, HTML, an underlined
#: heading, a rule or the definition of a link.
_LINE = re.compile(
    r"(?P<fence>`{3,}|~{3,})(?P<info>.*)|(?P<level>\#{1,6})(?=[ \t]|\Z)(?P<title>.*)"
    r"|(?P<other>[ \t]+[^ \t]|[>=<\[-]|[*+](?:[ \t]|\Z)|[*_](?:[ \t]*[*_])+[ \t]*\Z|\d{1,9}[.)](?:[ \t]|\Z))",
    re.DOTALL,
)
#: Longer fences are rare.
_LONGEST = 12


class PlainHeading(NamedTuple):
    """A heading on the line `start`."""

    start: int
    level: int
    text: str


class PlainFence(NamedTuple):
    """A fence on the lines `start` to `end` (exclusive), by `mark`, with what follows the mark in its first line."""

    start: int
    end: int
    mark: str
    info: str
    content: str


class PlainOutline(NamedTuple):
    """The lines of the front matter, and what stands below it."""

    front: tuple[int, int]
    elements: tuple[PlainHeading | PlainFence, ...]


class _OtherError(Exception):
    """Something that the parser must read."""


def plain_outline(lines: Sequence[str]) -> PlainOutline | None:
    """The outline of the text with these lines, the last of which is empty; None when more of Markdown may be in it, or
    a fault."""
    if lines[0] != _MARK:
        return None
    for end in range(1, len(lines)):
        if lines[end] == _MARK:
            break
        if lines[end].startswith("...") or lines[end].lstrip(" \t").startswith(_MARK):
            return None
    else:
        return None
    try:
        return PlainOutline((0, end + 1), tuple(_elements(lines, end + 1)))
    except _OtherError:
        return None


def _elements(lines: Sequence[str], at: int) -> Iterator[PlainHeading | PlainFence]:
    """What stands on the lines from `at` on."""
    while at < len(lines):
        line = lines[at]
        found = _LINE.match(line) if line and line[0] in _FIRST else None
        at += 1
        if found is None:
            continue
        if found["level"]:
            title = found["title"].strip(" \t")
            if title != title.strip() or title.endswith("#"):
                raise _OtherError
            yield PlainHeading(at - 1, len(found["level"]), title)
            continue
        mark, info = found["fence"], found["info"]
        if mark is None or len(mark) > _LONGEST or (mark[0] == "`" and "`" in info):
            raise _OtherError
        closing = _closing(mark[0], len(mark))
        end = next((n for n in range(at, len(lines)) if mark in lines[n] and closing.match(lines[n])), None)
        if end is None:
            raise _OtherError
        yield PlainFence(at - 1, end + 1, mark, info, "".join([f"{one}\n" for one in lines[at:end]]))
        at = end + 1


@cache
def _closing(character: str, length: int) -> re.Pattern[str]:
    return re.compile(rf" {{0,3}}{character}{{{length},}}[ \t]*\Z")
