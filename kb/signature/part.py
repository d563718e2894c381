"""A part of a signature: the failures of it that people told apart by a text or by the innermost own function."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator

from kb.failures.model import Failure
from kb.signature.frames import own_frames
from kb.signature.gaps import GAPS
from kb.signature.model import Segment, Signature
from kb.signature.pattern import SHORTEST_ANCHOR, anchor, escape, render
from kb.signature.rules import label

_TITLE = 160
_SHOWN = 60
#: A message is looked through for the gap that holds a text in so many characters.
_LONGEST = 1000


def part_id(parent: str, by: str, text: str) -> str:
    """The id of the part of `parent` for which `by` holds `text`: the same wherever and whenever it is split off.

    It is made like any id, and keeps the version of its parent's.
    """
    version = parent.partition("-")[0]
    digest = hashlib.sha256("\x1f".join((version, "part of", parent, by, text)).encode("utf-8", "replace")).digest()
    return f"{version}-{base64.b32encode(digest).decode()[:10].lower()}"


def belongs(failure: Failure, by: str, text: str) -> bool:
    """Whether `failure`, of the parent's signature, is of the part."""
    if by == "message":
        return text in failure.message
    return text in _innermost(failure)


def innermost(failure: Failure) -> str:
    """The name of the innermost own function, as a part can be told by it; "" when the failure has no frames."""
    return next(iter(_innermost(failure)), "")


def make_part(parent: Signature, failure: Failure, by: str, text: str, *, called: str, title: str) -> Signature:
    """The signature of the part that `failure` belongs to; `called` is its id.

    Without a `title` it has one after its parent's. Its pattern matches only lines of the part; where no pattern can
    hold the text it has none, rather than one too wide.
    """
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    headline = title or f"{parent.title} ({'in ' if by == 'function' else ''}{shown})"[:_TITLE]
    part = parent._replace(id=called, title=headline, signed=parent.signed or parent.id)
    if by == "function":
        if failure.language == "python" and text.isidentifier() and parent.pattern:
            return part._replace(context=f" in {escape(text)}")
        return part._replace(segments=(), pattern="", anchor="", context="")
    if text in "".join(one.text for one in parent.segments if not one.gap):
        return part
    segments = _with_text(parent, failure, text)
    found = anchor(segments)
    if not parent.pattern or len(found) < SHORTEST_ANCHOR or escape(text) not in render(segments):
        return part._replace(segments=(), pattern="", anchor="", context="")
    return part._replace(segments=segments, pattern=render(segments), anchor=found)


def _innermost(failure: Failure) -> tuple[str, ...]:
    """The names of the innermost own frame: as an identity has it, and whole."""
    frame = next(iter(own_frames(failure)), None)
    if frame is None:
        return ()
    return tuple(dict.fromkeys(name for name in (label(frame), frame.function) if name and name != "<module>"))


def _with_text(parent: Signature, failure: Failure, text: str) -> tuple[Segment, ...]:
    """The parent's segments, the gap that holds `text` in this failure's line opened around it; () when none does."""
    values = _gap_values(parent.segments, failure)
    out: list[Segment] = []
    opened = False
    for segment, value in zip(parent.segments, values, strict=False):
        if not segment.gap or opened or text not in value:
            out.append(segment)
            continue
        opened = True
        before, _, after = value.partition(text)
        out += [Segment("…", "rest")] if before else []
        out.append(Segment(text))
        out += [Segment("…", "rest")] if after else []
    return tuple(_joined(out)) if opened else ()


def _gap_values(segments: tuple[Segment, ...], failure: Failure) -> tuple[str, ...]:
    """What each segment is in this failure's line; () when they do not fit it."""
    pieces = [f"({GAPS[one.gap].regex})" if one.gap else f"({re.escape(one.text)})" for one in segments]
    typed = f"{failure.type.rsplit('.', 1)[-1]}: {failure.message}"
    for line in (typed[:_LONGEST], *failure.message[:_LONGEST].split("\n")):
        fitted = re.search("".join(pieces), line)
        if fitted:
            return fitted.groups()
    return ()


def _joined(segments: list[Segment]) -> Iterator[Segment]:
    """Literals that stand next to each other as one."""
    literal = ""
    for segment in segments:
        if segment.gap:
            if literal:
                yield Segment(literal)
            literal = ""
            yield segment
        else:
            literal += segment.text
    if literal:
        yield Segment(literal)
