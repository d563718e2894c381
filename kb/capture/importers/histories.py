"""Histories of shells: commands without what they printed, and mostly without how they ended.

A history holds years. What is imported is the last sitting: the commands back to the first pause of two hours, at most
so many; a history without times gives its last ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from kb.capture.importers.told import Ran, Story

_PAUSE = timedelta(hours=2)
_MOST, _MOST_UNTIMED = 200, 50
_NOTHING = frozenset({"", "exit", "logout"})
NO_OUTPUT = "what the commands printed, and so what failed: a history does not hold it (`kb log` adds a log)"


def last_sitting(entries: Sequence[Ran], lost: tuple[str, ...] = ()) -> Story:
    """The story of the last sitting among `entries`, which are in the order of the history."""
    entries = [one for one in entries if one.command.strip() not in _NOTHING]
    timed = bool(entries) and entries[-1].started is not None
    first = max(0, len(entries) - (_MOST if timed else _MOST_UNTIMED))
    for at in range(len(entries) - 1, first, -1):
        here, before = entries[at].started, entries[at - 1].started
        if here is not None and before is not None and here - before > _PAUSE:
            first = at
            break
    left = [f"the {first} commands before: only the last sitting is imported"] if first else []
    kept = tuple(entries[first:])
    ended = kept[-1].started if kept else None
    return Story(
        kept,
        started=next((one.started for one in kept if one.started), None),
        ended=ended,
        lost=(*lost, *left),
        unknown=(NO_OUTPUT,),
    )
