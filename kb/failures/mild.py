"""Exceptions that a program logged as a warning or for debugging, and went on: handled, as far as the log shows.

Whether one ended something after all only the whole log tells: a worker's traceback may stand below another's warning,
and what a command printed may be logged as information by the program that ran it.
"""

from __future__ import annotations

from collections.abc import Sequence

from kb.failures.found import Find
from kb.failures.phrases import role_of
from kb.failures.streams import MILD

_WARNING = "warning"
#: What tests that passed may have printed.
_PASSED = "passed"
_LONGEST = 2_000
#: What outweighs a traceback that may be another's: an exception, not a lone error line.
_EXCEPTION = 1


def mark_mild(finds: Sequence[Find]) -> None:
    """Marks those of `finds` that a structured record of a lower level holds, and what tests printed that passed."""
    passed = frozenset().union(*(find.lines for find in finds if likely(find)))
    for find in finds:
        if find.at.within in MILD:
            find.mild = find.at.within
        elif find.at.number in passed:
            find.mild = _PASSED


def likely(find: Find) -> bool:
    """Whether `find` only says that the failures in its lines are harmless unless something speaks against it."""
    return bool(find.harmless and find.mild)


def without_handled(finds: list[Find]) -> list[Find]:
    """`finds` without the handled ones, where something else failed or nothing did.

    They stay where all the rest only reports a failure that is nowhere else. A warning stays beside the same failure
    logged louder: its program tried again, or told of it at once.
    """
    loud = [find for find in finds if not find.mild]
    if len(loud) == len(finds):
        return finds
    weights = [find.weight for find in loud if _began_something(find)]
    said = {_said(find) for find in loud}
    return [
        find
        for find in finds
        if not find.mild or (find.mild == _WARNING and _said(find) in said) or (loud and not _outweighed(find, weights))
    ]


def _outweighed(find: Find, weights: Sequence[int]) -> bool:
    """Whether what else may be a root, of these weights, shows that `find` is none.

    A record's field holds the record's own exception; what stands below a warning may have come from elsewhere.
    """
    return bool(weights) and (bool(find.at.within) or find.mild == _PASSED or min(weights) <= _EXCEPTION)


def _began_something(find: Find) -> bool:
    """Whether `find` may be a root: it neither reports another failure nor follows from one, as far as it says."""
    text = find.message.split("\n", 1)[0][:_LONGEST]
    said = text if find.kind in ("error-line", "death") else f"{find.type.rsplit('.', 1)[-1]}: {text}"
    return find.complete and not (find.cascade or find.teardown) and role_of(said) is None


def _said(find: Find) -> tuple[str, str]:
    return find.type, find.message.split("\n", 1)[0]
