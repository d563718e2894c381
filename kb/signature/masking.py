"""Masking: a message becomes segments, its variable parts replaced by typed gaps."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kb.errors import Location, TableError
from kb.failures.tables import choice, rows
from kb.signature.gaps import GAPS
from kb.signature.model import Reason, Segment

MASKS = Path(__file__).with_name("masks.txt")

#: Messages are cut here before masking: what identifies a failure stands at its start.
LONGEST = 1000


class Masked(NamedTuple):
    """A masked text: its segments, and which masks acted on what."""

    segments: tuple[Segment, ...]
    reasons: tuple[Reason, ...]


@cache
def _expression() -> tuple[re.Pattern[str], tuple[tuple[str, str], ...]]:
    entries: list[tuple[int, str]] = []
    meanings: list[tuple[str, str]] = []
    for number, (name, action, pattern) in rows(MASKS, 3):
        if action != "keep" and action not in GAPS:
            raise TableError(
                f"unknown gap {action!r}", location=Location(str(MASKS), number), hint="keep, or " + ", ".join(GAPS)
            )
        entries.append((number, pattern))
        meanings.append((name, action))
    # ASCII, since the gaps are: a digit of another script would be masked by a gap that does not match it.
    return choice(MASKS, entries, re.ASCII), tuple(meanings)


def mask(text: str) -> Masked:
    """`text` (one line) as segments. Idempotent: masking the shown form of a template changes nothing."""
    expression, meanings = _expression()
    text = text[:LONGEST]
    segments: list[Segment] = []
    reasons: list[Reason] = []
    literal = ""
    at = 0
    for match in expression.finditer(text):
        name, action = meanings[(match.lastindex or 1) - 1]
        literal += text[at : match.start()]
        at = match.end()
        if action == "keep":
            literal += match[0]
            continue
        shown = GAPS[action].shown
        reasons.append(Reason(f"mask {name}", match[0], shown))
        if literal:
            segments.append(Segment(literal))
        elif segments and segments[-1].gap == action:
            literal = ""
            continue
        segments.append(Segment(shown, action))
        literal = ""
    literal += text[at:]
    if literal:
        segments.append(Segment(literal))
    return Masked(tuple(segments), tuple(reasons))


def shown(segments: tuple[Segment, ...]) -> str:
    """The template: literals as they are, gaps as their placeholders."""
    return "".join(segment.text for segment in segments)
