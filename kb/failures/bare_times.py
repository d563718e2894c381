"""A time of day alone that stands before all lines of a process, behind what gathered the lines of several.

As with frames (kb.failures.framing), only all lines together tell that it is none of the program's own words. Where it
stands first in each line of a log, it is a frame; here it stands behind another frame or a prefix.
"""

from collections.abc import Iterable

from kb.expressions import late
from kb.failures.prefixes import peel

_TIME = late(r"\[?(?P<time>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]? ")
#: Cheap to look for first: few logs have a time behind something else.
_BEHIND = late(r"[\]|:>Z] {0,3}\[?\d\d:\d\d:\d\d[\],. ]")
#: What a logger says of a line behind its time; a prefix that knows it tells more.
_HEADED = late(r"[\[|<(-]|[A-Z]{3,8}\b|\d|[\w.-]{1,60} +\|")
_LEAST = 3
_LONGEST = 400


def timed(sample: Iterable[tuple[str, str]], *, framed: bool) -> frozenset[str]:
    """The keys of the processes of which all lines begin with a time alone, behind a frame or a prefix.

    `sample` holds the key of each line's frame, and the line without it; `framed` says that there is one. The keys are
    those of frame and prefixes together.
    """
    lines = list(sample)
    if not any(_BEHIND.search(text[:_LONGEST]) or (framed and _TIME.match(text)) for _, text in lines):
        return frozenset()
    said: dict[str, list[str]] = {}
    for key, line in lines:
        peeled = peel(line[:_LONGEST])
        if peeled.text and (framed or peeled.key):
            said.setdefault(key + peeled.key, []).append(peeled.text)
    return frozenset(key for key, texts in said.items() if len(texts) >= _LEAST and _all_timed(texts))


def untimed(text: str) -> tuple[str, str]:
    """`text` without the time before it, and the time; "" where none stands there."""
    match = _TIME.match(text)
    return (text[match.end() :], match["time"]) if match is not None else (text, "")


def headed(text: str) -> bool:
    """Whether `text`, which stood behind a time, has a head: then the time is that of a logger's record."""
    return _HEADED.match(text) is not None


def _all_timed(texts: list[str]) -> bool:
    told = [untimed(text) for text in texts]
    return all(time for _, time in told) and not any(headed(text) for text, _ in told)
