"""How well predicted groups agree with true ones: grouping accuracy, F1 of groups, precision and recall of pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple


class Agreement(NamedTuple):
    """GA: share of items whose predicted group is exactly their true one; FGA: F1 over such groups; then pairs."""

    ga: float
    fga: float
    precision: float
    recall: float
    f1: float
    groups: int


def agreement(predicted: Sequence[Hashable], true: Sequence[Hashable]) -> Agreement:
    """How well the labels `predicted` group the items that `true` labels."""
    ours, theirs = Counter(predicted), Counter(true)
    both = Counter(zip(predicted, true, strict=True))
    right = [pair for pair, count in both.items() if ours[pair[0]] == count == theirs[pair[1]]]
    together, apart, shared = _pairs(ours), _pairs(theirs), _pairs(both)
    precision = shared / together if together else 1.0
    recall = shared / apart if apart else 1.0
    return Agreement(
        ga=sum(both[pair] for pair in right) / len(true),
        fga=2 * len(right) / (len(ours) + len(theirs)),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        groups=len(ours),
    )


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean."""
    return sum(values) / len(values)


def _pairs(counts: Counter[Hashable] | Counter[tuple[Hashable, Hashable]]) -> int:
    return sum(count * (count - 1) // 2 for count in counts.values())
