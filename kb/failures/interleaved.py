"""A traceback of Python into which another part of the program, or another process, logged records of its own.

What Python prints has no prefix, and what a logger writes has one with a level, so the two can be told apart line by
line where the traceback goes on behind the records up to its exception.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from kb.failures.tangles import HEADER, Spoken, kind_of

_LONGEST = 400
_MOST_RECORDS = 64


class Levelled(Spoken, Protocol):
    """A line of a stream, as far as it matters here."""

    @property
    def level(self) -> str: ...


Line = TypeVar("Line", bound=Levelled)


def gathered(lines: Sequence[Line]) -> list[Line]:
    """`lines` with each such traceback in one piece, the records that stood in it right behind it."""
    if not any(line.record and line.level for line in lines):
        return list(lines)
    out: list[Line] = []
    index = 0
    while index < len(lines):
        own = _own(lines, index) if HEADER in lines[index].text else []
        if not own:
            out.append(lines[index])
            index += 1
            continue
        mine = set(own)
        out += [lines[place] for place in own]
        out += [lines[place] for place in range(index, own[-1]) if place not in mine]
        index = own[-1] + 1
    return out


def _own(lines: Sequence[Line], start: int) -> list[int]:
    """The places of the traceback that begins at `start`, if records stand in it and it ends with an exception."""
    if lines[start].record or lines[start].level or kind_of(lines[start]) != "header":
        return []
    own, records = [start], 0
    for place in range(start + 1, min(start + _LONGEST, len(lines))):
        line = lines[place]
        if line.record and line.level:
            records += 1
            if records > _MOST_RECORDS:
                return []
            continue
        kind = kind_of(line)
        if kind in ("header", "other"):
            return []
        own.append(place)
        if kind == "exception":
            return own if len(own) < place - start + 1 else []
    return []
