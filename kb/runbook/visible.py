"""Text from logs and records made visible: what a page shows is what is there, and what one copies is what one saw."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import markupsafe
from markupsafe import Markup, escape

_COLOUR = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but for TAB and line feed
    "\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # invisible, or turns the reading direction
    "\u2028\u2029\ud800-\udfff]"
)
_LONG_WORD = re.compile(r"\S{20,}")
_JOINT = re.compile(r"(?<=[_./:=\-])(?=\w)")
#: The part of `escape` that works on a text, where this version of MarkupSafe has one.
INNER: Any = getattr(markupsafe, "_escape_inner", None)


def peel(text: str) -> str:
    """`text` without terminal colours, carriage returns before a line feed, and NULs."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    return text.replace("\r\n", "\n").replace("\0", "")


def visible(text: str) -> str:
    """`text` with every character that would act or hide instead of showing itself spelled as `<U+202E>`.

    Directional overrides could make a command read otherwise than it runs, so they must be seen before it is copied.
    """
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)


def plain(text: str) -> str:
    """`text` as one visible line: colours gone, white space collapsed."""
    if not (text.isascii() and text.isprintable()):
        text = visible(peel(text))
    elif "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text
    return " ".join(text.split())


def escape_text(text: str) -> str:
    """`text` (which is no safe string) as HTML, for who makes a safe string of it only with others."""
    return INNER(text) if INNER is not None else str(escape(text))


# As many as a large site has titles (and links, and addresses: all are asked for in turn, page by page).
@lru_cache(1 << 15)
def breakable(text: str) -> Markup:
    """`text` as one escaped line in which long words may wrap at their joints."""
    line = _LONG_WORD.sub(_at_joints, plain(text))
    return Markup(escape_text(line).replace("\0", "<wbr>"))  # noqa: S704 - escaped, and no NUL was in the text


def _at_joints(word: re.Match[str]) -> str:
    return _JOINT.sub("\0", word[0])
