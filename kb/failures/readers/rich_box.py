"""Tracebacks that the rich library drew as boxes: frames inside, the exception line under the box."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.model import Frame, Relation
from kb.failures.readers.traceback import EXCEPTION
from kb.failures.streams import Stream

NAME = "rich"
ABOUT = "Tracebacks drawn as boxes by the rich library"
EXAMPLE = """\
╭─────── Traceback (most recent call last) ───────╮
│ /srv/etl.py:9 in coerce                         │
│ ❱ 9     return float(value)                     │
╰─────────────────────────────────────────────────╯
ValueError: could not convert string to float: '--'
"""

_TOP = re.compile(r"\s*╭─+ Traceback \(most recent call last\)")
_PLACE = re.compile(r"\s*│ (?P<file>/?[^\s:│]{1,1000}):(?P<line>\d{1,9}) in (?P<function>\S.*)$")
_SOURCE = re.compile(r"\s*│ ❱\s*\d+ (?P<source>.*)$")
_BARS = re.compile(r"[│\s]+")
#: A box that has not ended after so many lines has lost its end.
_TALLEST = 2000
_WIDEST = 2000


def read(lines: Stream) -> Iterator[Find]:
    """One find per box, chained by the sentences that rich prints between them."""
    last: Find | None = None
    end = 0
    while end < len(lines):
        index, line = end, lines[end]
        end += 1
        if not _TOP.match(line.text[:_WIDEST]):
            continue
        end, frames, closed = _box(lines, end)
        match = EXCEPTION.match(lines[end].text.strip()) if closed and end < len(lines) else None
        if match is None:
            continue
        relation = _relation(lines, index)
        last = Find(
            kind="exception",
            type=match["type"],
            message=(match["message"] or "").strip(),
            at=lines[end],
            first=line.number,
            last=lines[end].number,
            language="python",
            frames=frames,
            process=lines[end].process,
            reader=NAME,
            inner=[(relation, last)] if relation and last else [],
            lines={ln.number for ln in lines[index : end + 1]},
        )
        yield last


def _relation(lines: Stream, top: int) -> Relation | None:
    # A narrow terminal breaks the sentence.
    between = " ".join(" ".join(line.text for line in lines[max(top - 4, 0) : top]).split())
    if "direct cause of the following" in between:
        return "cause"
    return "context" if "During handling of the above" in between else None


def _box(lines: Stream, index: int) -> tuple[int, tuple[Frame, ...], bool]:
    """The index of the line under the box, its frames, and whether it has an end; else that of the line to go on with.

    Each line is looked at once, also where boxes have lost their ends.
    """
    frames: list[Frame] = []
    for at in range(index, min(index + _TALLEST, len(lines))):
        text = lines[at].text[:_WIDEST]
        if text.lstrip().startswith("╰─"):
            return at + 1, tuple(frames[:500]), True
        if _TOP.match(text):
            return at, (), False
        text = text.rstrip().removesuffix("│").rstrip()
        if place := _PLACE.match(text):
            frames.append(Frame(place["file"], place["function"], int(place["line"])))
        elif frames and (source := _SOURCE.match(text)):
            here = frames[-1]
            frames[-1] = Frame(here.file, here.function, here.line, _BARS.sub(" ", source["source"]).strip()[:500])
    return index + _TALLEST, (), False
