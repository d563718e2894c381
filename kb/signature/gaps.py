"""The closed list of gaps: what a masked part may be, in a form that every regular expression engine reads alike.

The forms keep to the portable subset: classes hold only letters, digits, space, commas, quotes and ranges; no shorthand
classes, no groups that capture, no look-around.
"""

from typing import NamedTuple


class Gap(NamedTuple):
    """A kind of variable part: `shown` stands in templates and titles, `regex` in patterns."""

    shown: str
    regex: str


GAPS: dict[str, Gap] = {
    "number": Gap("<num>", r"[0-9]+(?:\.[0-9]+)*"),
    "large-number": Gap("<num>", r"[0-9](?:[0-9,Ee]|\.|\+|-)*"),
    "numbers": Gap("<nums>", "(?:[0-9, ]|-)+"),
    "size": Gap("<size>", r"[0-9]+(?:\.[0-9]*)? ?[A-Za-z]+"),
    "large-size": Gap("<size>", r"[0-9](?:[0-9,]|\.)* ?[A-Za-z]+"),
    "hex": Gap("<hex>", "0x[0-9A-Fa-f]+"),
    "hex-dashes": Gap("<uuid>", "(?:[0-9A-Fa-f]|-)+"),
    "word": Gap("<id>", "[^ ]+"),
    # A secret between quotes may hold blanks where nobody redacted it.
    "quoted": Gap("<id>", "[^'\"]+"),
    "words": Gap("<time>", ".+"),
    "url": Gap("<url>", "[^ ]+"),
    "path": Gap("<path>", "[^ ]*"),
    "quoted-path": Gap("<path>", "[^'\"]*"),
    "value": Gap("<value>", "'[^']*'"),
    "name": Gap("<name>", "[A-Za-z_][0-9A-Za-z_]*"),
    "quote": Gap("'", "(?:[`']|[^ -~]+)"),
    "rest": Gap("…", ".*"),
}
