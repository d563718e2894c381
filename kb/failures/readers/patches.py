"""Patches shown in a log: what a change adds or removes, be it the log of a crash, did not happen here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, claimed
from kb.failures.streams import Stream

NAME = "patches"
ABOUT = "Commits and unified diffs: their lines are text, not failures"
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
_COMMIT = re.compile(r"commit [0-9a-f]{40}(?: \(|$)")
#: What stands between the head of a commit and its changes.
_TOLD = re.compile(r"(?:Author|AuthorDate|Commit|CommitDate|Date|Merge): |    |$")


def read(lines: Stream) -> Iterator[Find]:
    """One harmless find per hunk and per commit's message: it claims its lines before every other reader does."""
    index = 0
    while index < len(lines):
        begin, text = index, lines[index].text
        index += 1
        if hunk := _HUNK.match(text):
            index = _end(lines, index, int(hunk["old"] or 1), int(hunk["new"] or 1))
        elif _COMMIT.match(text):
            while index < len(lines) and _TOLD.match(lines[index].text):
                index += 1
        else:
            continue
        yield claimed(NAME, "patch", "patch", text, lines[begin], lines[begin:index], "a line of a patch")


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
