"""Where the context of a signature's rule stands in a log: the same for `kb triage`, the browser and the exporters."""

from __future__ import annotations

from collections.abc import Sequence

#: A signature's context must match one of so many lines before its own line or, where frames follow, after it. The
#: browser is given this number with its rules.
CONTEXT_LINES = 60


def frames_follow(kind: str, language: str | None) -> bool:
    """Whether the frames of such a failure stand after its line: only Python's exceptions print them before it."""
    return language != "python" or kind in ("crash", "kernel")


def near(lines: Sequence[str], place: int, *, below: bool) -> Sequence[str]:
    """The lines in which the context of the line at `place` (from 0) may stand; with `below`, also those after it."""
    before = lines[max(0, place - CONTEXT_LINES) : max(0, place)]
    return [*before, *lines[place + 1 : place + 1 + CONTEXT_LINES]] if below else before
