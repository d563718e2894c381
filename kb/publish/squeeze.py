"""Taking out of a theme's HTML what no reader sees: half of what it writes around a page is indentation."""

from __future__ import annotations

import re

#: What is shown or run as it stands, to the end of the page where nothing closes it, as a browser reads it; a drawing,
#: the name in which only XML needs; a run of space beside a tag. No character is looked at more than a few times.
_PARTS = re.compile(
    r"<(?P<kept>pre|textarea|script|style)\b.*?(?:</(?P=kept)\s*>|\Z)|(?P<drawing><svg\b[^<>]*+>)"
    r"|(?<=>)\s++|(?<!\s)\s++(?=<)",
    re.DOTALL | re.IGNORECASE,
)
_NAME = ' xmlns="http://www.w3.org/2000/svg"'


def squeezed(html: str) -> str:
    """`html` with each run of space beside a tag as one character, which a browser shows alike.

    Text that is kept as it is written (`pre`, `textarea`), scripts and styles stay as they are.
    """
    return _PARTS.sub(_shortest, html)


def _shortest(match: re.Match[str]) -> str:
    if match["kept"]:
        return match[0]
    if match["drawing"]:
        return match[0].replace(_NAME, "")
    return "\n" if "\n" in match[0] else " "
