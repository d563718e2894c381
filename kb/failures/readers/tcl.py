"""Tcl: a message and, below it, the commands that were being run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "tcl"
ABOUT = "Tcl and the tools of chip design that speak it: messages with the commands being run"
EXAMPLE = """\
can't read "rates(EUR)": no such variable
    while executing
"return $rates($currency)"
    (procedure "rate" line 1)
    invoked from within
"rate EUR"
    (file "bill.tcl" line 4)
"""

_WHILE = ("    while executing", "    while compiling", "    invoked from within")
_FRAME = re.compile(
    r" {4}\((?:(?P<kind>procedure|file) \"(?P<name>[^\"\n]{1,500})\" line (?P<line>\d{1,7})|.{1,300})\)$"
)
_MOST = 300
_MOST_SAID = 6


def read(lines: Stream) -> Iterator[Find]:
    """One find per error; the message stands right above the first command."""
    index = 0
    while index < len(lines):
        if index and lines[index].text in _WHILE[:2] and lines[index - 1].text.strip():
            find, index = _error(lines, index)
            yield find
        else:
            index += 1


def _error(lines: Stream, at: int) -> tuple[Find, int]:
    head = at - 1
    end, frames = at, []
    quoted = False
    while end < min(at + _MOST, len(lines)):
        text = lines[end].text
        if match := _FRAME.match(text):
            if match["kind"]:
                name = match["name"] if match["kind"] == "procedure" else "<module>"
                frames.append(Frame(match["name"] if name == "<module>" else "", name, int(match["line"])))
        elif quoted:
            quoted = not text.endswith('"')
        elif text.startswith('"'):
            quoted = len(text) < 2 or not text.endswith('"')
        elif text not in _WHILE:
            break
        end += 1
    find = spotted(
        NAME,
        "error",
        "error",
        lines[head].text.strip(),
        lines[head],
        lines[head:end],
        language=NAME,
        frames=tuple(reversed(frames)),
    )
    return find, end
