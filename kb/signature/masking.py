"""Masking: a message becomes segments, its variable parts replaced by typed gaps."""

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from kb.errors import Location, TableError
from kb.expressions import late
from kb.failures.tables import alternatives, choice, holds_digit, needle, rows
from kb.signature.gaps import GAPS
from kb.signature.model import Reason, Segment

MASKS = Path(__file__).with_name("masks.txt")

#: Messages are cut here before masking: what identifies a failure stands at its start.
LONGEST = 1000


class Masked(NamedTuple):
    """A masked text: its segments, and which masks acted on what."""

    segments: tuple[Segment, ...]
    reasons: tuple[Reason, ...]


class _Mask(NamedTuple):
    """A line of the table; a text with none of the `words` (if there are any) holds nothing for it."""

    name: str
    action: str
    pattern: str
    number: int
    words: tuple[str, ...]


_DIGITS = tuple("0123456789")
_BEHIND = late(r"^\(\?<=((?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\()\[])+)\)")
_PLAIN = late(r"(?:\\[()\[\]]|[^\\()\[\]{}|?*+.^$])+")


def _words(pattern: str) -> tuple[str, ...]:
    """Plain text of which a match needs one, what a look-behind asks for included; () when that is not plain.

    A message is short, and of a mask that all messages call, compiling is what costs: so a character or a digit counts.
    """
    words: list[str] = []
    for one in alternatives(pattern):
        behind = _BEHIND.match(one)
        plain = _behind(behind[1]) if behind else needle(one, 1)
        if not plain and not holds_digit(one):
            return ()
        words += [plain] if len(plain) > 1 or not holds_digit(one) else _DIGITS
    return tuple(dict.fromkeys(words))


def _behind(pattern: str) -> str:
    return pattern.replace("\\", "") if _PLAIN.fullmatch(pattern) else needle(pattern, 1)


@cache
def _masks() -> tuple[_Mask, ...]:
    masks: list[_Mask] = []
    for number, (name, action, pattern) in rows(MASKS, 3):
        if action != "keep" and action not in GAPS:
            raise TableError(
                f"unknown gap {action!r}", location=Location(str(MASKS), number), hint="keep, or " + ", ".join(GAPS)
            )
        masks.append(_Mask(name, action, pattern, number, _words(pattern)))
    return tuple(masks)


@lru_cache(256)
def _expression(called: tuple[int, ...]) -> tuple[re.Pattern[str], tuple[tuple[str, str], ...]]:
    """One expression of the masks with these indices, and what each of its groups means."""
    chosen = [_masks()[index] for index in called]
    # ASCII, since the gaps are: a digit of another script would be masked by a gap that does not match it.
    expression = choice(MASKS, [(one.number, one.pattern) for one in chosen], re.ASCII)
    return expression, tuple((one.name, one.action) for one in chosen)


def _called(text: str, only: str = "") -> tuple[int, ...]:
    """The masks that can act on `text`: compiling the others is most of what a short run of kb would cost."""
    return tuple(
        index
        for index, one in enumerate(_masks())
        if (not only or one.name == only) and (not one.words or any(word in text for word in one.words))
    )


def mask(text: str, *, only: str = "") -> Masked:
    """`text` (one line) as segments, by all masks or by those named `only`.

    Idempotent: masking the shown form of a template changes nothing.
    """
    text = text[:LONGEST] if not only else text
    expression, meanings = _expression(_called(text, only))
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
