"""Automake's `make check`: tests that failed, by the last that each of them said in the log of its suite."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.streams import Line, Stream

NAME = "automake"
ABOUT = "Automake: tests of make check that failed"
EXAMPLE = """\
FAIL: tests/store.sh
====================

opening store
store: checksum mismatch in segment 4
FAIL tests/store.sh (exit status: 1)
"""

_HEAD = re.compile(r"(?P<how>FAIL|ERROR): (?P<test>\S.{0,400})$")
_RULE = re.compile(r"=+$")
_END = re.compile(r"(?:FAIL|ERROR) \S.{0,400} \(exit status: \d{1,5}\)$")
_OVER = re.compile(r"(?:FAIL|ERROR|SKIP|XFAIL|XPASS|PASS): \S|={60}")
_LONGEST = 2_000


def read(lines: Stream) -> Iterator[Find]:
    """One find per test whose log is shown; its line in the list above belongs to it."""
    listed: dict[str, Line] = {}
    index = 0
    while index + 1 < len(lines):
        head = _HEAD.match(lines[index].text)
        below = lines[index + 1].text
        # The head is underlined at its own length.
        if head is None or len(below) != len(head[0]) or _RULE.match(below) is None:
            if head is not None:
                listed.setdefault(head[0], lines[index])
            index += 1
            continue
        end = index + 2
        while end < len(lines) and end - index < _LONGEST:
            if _END.match(lines[end].text):
                end += 1
                break
            if _OVER.match(lines[end].text):
                break
            end += 1
        yield _failed(lines[index:end], head, listed)
        index = end


def _failed(block: Stream, head: re.Match[str], listed: dict[str, Line]) -> Find:
    said = [line for line in block[2:] if line.text.strip() and not _END.match(line.text)]
    at = said[-1] if said else block[0]
    find = spotted(NAME, "error", head["how"], at.text.strip(), at, block, notes=(head["test"],))
    if (before := listed.get(head[0])) is not None:
        find.lines.add(before.number)
    return find
