"""Bodies of fences: any text, verbatim, whatever Markdown does to it."""

from __future__ import annotations

import re
from typing import NamedTuple

from kb.record.attributes import write_attributes
from kb.record.texts import UNPRINTABLE, escape, unescape

#: Attributes of every fence: the body is escaped; the body does not end with a line end.
ENCODING, NO_EOL = "enc", "noeol"
ESCAPED = "c"

_RUN = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


class Body(NamedTuple):
    """A body as read; `bad_line` is the 1-based line in it of the first escape that is none (None: all are good)."""

    text: str
    bad_line: int | None


def read_body(content: str, *, escaped: bool, eol: bool) -> Body:
    """The body that the `content` of a fence stands for."""
    bad: int | None = None
    text = content if eol else content.removesuffix("\n")
    if escaped:
        text, bad = unescape(text)
    return Body(text, None if bad is None else content.count("\n", 0, bad) + 1)


def write_fence(language: str, pairs: list[tuple[str, str | None]], body: str) -> str:
    """The fence that holds `body`, with `pairs` and what the body itself needs as attributes; without a line end."""
    own: list[tuple[str, str | None]] = []
    text = body
    if UNPRINTABLE.search(text):
        own.append((ENCODING, ESCAPED))
        text = escape(text)
    if text and not text.endswith("\n"):
        own.append((NO_EOL, None))
        text += "\n"
    attributes = write_attributes([*pairs, *own])
    fence = "`" * max([3, *(len(run) + 1 for run in _RUN.findall(text))])
    return f"{fence}{language}{' ' if attributes else ''}{attributes}\n{text}{fence}"
