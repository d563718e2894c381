"""Taking out of a theme's HTML what no reader sees: half of what it writes around a page is indentation."""

from __future__ import annotations

import re

#: What is shown or run as it stands; a run of space beside a tag; a name that only XML needs.
_PARTS = re.compile(
    r"<(?P<kept>pre|textarea|script|style)\b.*?</(?P=kept)\s*>|(?<=>)\s++|(?<!\s)\s++(?=<)"
    r'|(?P<name> xmlns="http://www\.w3\.org/2000/svg")(?=[^<>]*>)',
    re.DOTALL | re.IGNORECASE,
)


def squeezed(html: str) -> str:
    """`html` with each run of space beside a tag as one character, which a browser shows alike.

    Text that is kept as it is written (`pre`, `textarea`), scripts and styles stay as they are.
    """
    return _PARTS.sub(_shortest, html)


def _shortest(match: re.Match[str]) -> str:
    if match["kept"]:
        return match[0]
    if match["name"]:
        return ""
    return "\n" if "\n" in match[0] else " "
