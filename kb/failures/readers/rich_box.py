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
_PLACE = re.compile(r"\s*│ (?P<file>/?[^\s:│]{1,1000}):(?P<line>\d{1,9}) in (?P<function>\S.*?)\s*(?:│\s*)?$")
_SOURCE = re.compile(r"\s*│ ❱\s*\d+ (?P<source>.*?)\s*(?:│\s*)?$")
_BARS = re.compile(r"[│\s]+")


def read(lines: Stream) -> Iterator[Find]:
    """One find per box, chained by the sentences that rich prints between them."""
    last: Find | None = None
    for index, line in enumerate(lines):
        if not _TOP.match(line.text):
            continue
        end, frames = _box(lines, index + 1)
        if end >= len(lines):
            continue
        match = EXCEPTION.match(lines[end].text.strip())
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
    between = " ".join(line.text for line in lines[max(top - 3, 0) : top])
    if "direct cause of the following" in between:
        return "cause"
    return "context" if "During handling of the above" in between else None


def _box(lines: Stream, index: int) -> tuple[int, tuple[Frame, ...]]:
    """The index of the line under the box (that of no line when the box has no end), and its frames."""
    frames: list[Frame] = []
    while index < len(lines) and not lines[index].text.lstrip().startswith("╰─"):
        text = lines[index].text
        if _TOP.match(text):
            return len(lines), ()  # the box above has lost its end
        if place := _PLACE.match(text):
            frames.append(Frame(place["file"], place["function"], int(place["line"])))
        elif frames and (source := _SOURCE.match(text)):
            here = frames[-1]
            frames[-1] = Frame(here.file, here.function, here.line, _BARS.sub(" ", source["source"]).strip()[:500])
        index += 1
    return index + 1, tuple(frames[:500])
