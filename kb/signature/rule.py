"""Trying a signature's own pattern on a failure: the same rule that the browser and the exporters use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from kb.failures.lines import clean
from kb.failures.model import Failure

#: A signature's context must match one of so many lines before its own line or, where frames follow, after it. The
#: browser is given this number with its rules.
CONTEXT_LINES = 60
_LONGEST_LINE = 4000


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def decisive_lines(failure: Failure) -> tuple[str, ...]:
    """The lines of a failure in which its signature's pattern may match: its own raw line and those of its message."""
    kept = [clean(failure.text)[:_LONGEST_LINE]]
    first, *rest = failure.message.split("\n")
    kept.append(f"{failure.type}: {first}"[:_LONGEST_LINE])
    kept.extend(line[:_LONGEST_LINE] for line in rest[:20] if line.strip())
    return tuple(kept)


def rule_matches(pattern: str, context: str, failure: Failure) -> bool:
    """Whether `pattern` matches a decisive line of `failure` and `context`, if any, one of its frames."""
    if not pattern or not any(_compiled(pattern).search(line) for line in decisive_lines(failure)):
        return False
    return not context or any(_compiled(context).search(f" in {frame.function}") for frame in failure.frames)


def frames_follow(kind: str, language: str | None) -> bool:
    """Whether the frames of such a failure stand after its line: only Python's exceptions print them before it."""
    return language != "python" or kind in ("crash", "kernel")


def near(lines: Sequence[str], place: int, *, below: bool) -> Sequence[str]:
    """The lines in which the context of the line at `place` (from 0) may stand; with `below`, also those after it."""
    before = lines[max(0, place - CONTEXT_LINES) : max(0, place)]
    return [*before, *lines[place + 1 : place + 1 + CONTEXT_LINES]] if below else before
