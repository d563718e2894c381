"""Patches shown in a log: what a change adds or removes, be it the log of a crash, did not happen here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.streams import Stream

NAME = "patches"
ABOUT = "Unified diffs: the lines of a hunk are text, not failures"
EXAMPLE = """\
--- a/docs/errors.md
+++ b/docs/errors.md
@@ -1,2 +1,3 @@
 # Errors
+Segmentation fault (core dumped)
 ## Notes
fatal: unable to write new index file
"""

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(?P<old>\d{1,9}))? \+\d{1,9}(?:,(?P<new>\d{1,9}))? @@")


def read(lines: Stream) -> Iterator[Find]:
    """One harmless find per hunk: it claims as many lines as its head says before every other reader does."""
    index = 0
    while index < len(lines):
        match = _HUNK.match(lines[index].text)
        if match is None:
            index += 1
            continue
        end = _end(lines, index + 1, int(match["old"] or 1), int(match["new"] or 1))
        find = spotted(NAME, "patch", "hunk", lines[index].text, lines[index], lines[index:end], weight=-1)
        find.harmless = "a line of a patch"
        yield find
        index = end


def _end(lines: Stream, index: int, old: int, new: int) -> int:
    """The index after the hunk that begins at `index` and has `old` lines before the change and `new` after it."""
    while index < len(lines) and (old > 0 or new > 0):
        mark = lines[index].text[:1]
        if mark not in " +-\\":
            break
        old -= mark in " -"  # an empty mark is an empty line that lost its blank, and stands on both sides
        new -= mark in " +"
        index += 1
    return index
