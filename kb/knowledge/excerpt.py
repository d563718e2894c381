"""Cutting the lines around a failure out of its evidence."""

from __future__ import annotations

from collections.abc import Sequence

#: An excerpt has at most this many lines; shorter evidence is kept whole.
MOST_LINES = 60
_AROUND = 3
_LONGEST_LINE = 4000


def excerpt(lines: Sequence[str], first: int, last: int, decisive: int) -> tuple[str, int]:
    """The lines around a failure, and the 0-based place of its decisive line among them.

    `first`, `last` and `decisive` are 1-based lines of the evidence. What is left out in the middle is replaced by
    one line that says how much it was.
    """
    at = min(max(decisive - 1, 0), len(lines) - 1)
    if len(lines) <= MOST_LINES:
        return "\n".join(map(_bounded, lines)), at
    start = max(0, min(first - 1, at) - _AROUND)
    end = min(len(lines), max(last, at + 1) + _AROUND)
    kept = list(lines[start:end])
    place = at - start
    if len(kept) > MOST_LINES:
        kept, place = _elide(kept, place)
    return "\n".join(map(_bounded, kept)), place


def _elide(lines: Sequence[str], place: int) -> tuple[list[str], int]:
    """`lines` cut to `MOST_LINES`: the head, and a window that ends a little after the decisive line."""
    head = MOST_LINES // 3
    window = MOST_LINES - head - 2
    end = min(len(lines), max(place + 1 + _AROUND, head + window))
    start = max(head, end - window)
    kept = list(lines[:head])
    if start > head:
        kept.append(f"[... {start - head} lines left out ...]")
    moved = place if place < head else len(kept) + place - start
    kept.extend(lines[start:end])
    if end < len(lines):
        kept.append(f"[... {len(lines) - end} lines left out ...]")
    return kept, moved


def _bounded(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "[...]"
