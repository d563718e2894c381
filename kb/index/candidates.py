"""The signatures that share most with a failure: those that its rarest words lead to.

Each posting of the rarest words is read, within a budget: these signatures are the candidates. What the other words add
is only counted for candidates that it can still bring among the best; the less of them there are, the less is read.
"""

import heapq
import sqlite3
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

from kb.index.postings import lowers_of, number_in

#: Postings of the rarest words that are read: common words find nothing that these do not.
_BUDGET = 5000
#: How many postings' time the other words may take.
_FURTHER = 15_000
#: Looking up one number in a list takes the time of so many that are compared with all of a block.
_LOOK_UP = 30
#: So does sorting out one candidate.
_SORTING = 3


class Word(NamedTuple):
    """A word of a failure: how many signatures hold it, what it counts, and whether candidates may come from it."""

    text: str
    frequency: int
    weight: float
    leads: bool


#: The candidates of each block, by their lower bits, with the weight of what they share.
_Scores = dict[int, dict[int, float]]


def candidates(db: sqlite3.Connection, words: Sequence[Word], limit: int) -> list[int]:
    """The numbers of the signatures that share most with `words`, by the weight of what they share.

    Where no word leads to any signature, all do. They come best first as far as it took to tell which ones they are.
    """
    held = [word for word in words if word.frequency]
    leading = [word for word in held if word.leads] or held
    order = sorted(leading, key=lambda word: (word.frequency, word.text))
    scores: _Scores = {}
    spent = read = 0
    for word in order:
        spent += word.frequency
        if read and spent > _BUDGET:
            break
        read += 1
        _collect(db, word, scores)
    taken = {word.text for word in order[:read]}
    others = [word for word in held if word.text not in taken]
    scores = _told_apart(db, sorted(others, key=lambda word: (word.frequency, word.text)), scores, limit)
    every = [(-score, number_in(block, lower)) for block, found in scores.items() for lower, score in found.items()]
    return [number for _, number in heapq.nsmallest(limit, every)]


def _collect(db: sqlite3.Connection, word: Word, scores: _Scores) -> None:
    """Let each signature that holds `word` be a candidate, and count the word."""
    for block, lowers in lowers_of(db, word.text):
        found = scores.setdefault(block, {})
        found.update(zip(lowers, map(word.weight.__add__, map(found.get, lowers, repeat(0.0))), strict=True))


def _told_apart(db: sqlite3.Connection, words: Sequence[Word], scores: _Scores, limit: int) -> _Scores:
    """The candidates that can be among the best, with what further `words`, the rarest first, add to them."""
    left = sum(word.weight for word in words)
    scores, count = _possible(scores, limit, left)
    spent = 0
    for word in words:
        if count > limit and word.frequency > _SORTING * count:
            scores, count = _possible(scores, limit, left)
            spent += _SORTING * count
        spent += min(word.frequency, count * _LOOK_UP) + _LOOK_UP
        if count <= limit or spent > _FURTHER:
            break
        left -= word.weight
        for block, lowers in lowers_of(db, word.text):
            if found := scores.get(block):
                for lower in _common(found, lowers):
                    found[lower] += word.weight
    return _possible(scores, limit, 0.0)[0]


def _possible(scores: _Scores, limit: int, left: float) -> tuple[_Scores, int]:
    """Those that are among the best once at most `left` was added to any of them, and how many they are."""
    every = [score for found in scores.values() for score in found.values()]
    if len(every) <= limit:
        return scores, len(every)
    least = heapq.nlargest(limit, every)[-1] - left - 1e-9
    kept = {
        block: {lower: score for lower, score in found.items() if score >= least} for block, found in scores.items()
    }
    return kept, sum(map(len, kept.values()))


def _common(found: Mapping[int, float], lowers: Sequence[int]) -> Iterator[int]:
    """What is in both."""
    if len(found) * _LOOK_UP > len(lowers):
        yield from set(found).intersection(lowers)
        return
    for lower in found:
        at = bisect_left(lowers, lower)
        if at < len(lowers) and lowers[at] == lower:
            yield lower
