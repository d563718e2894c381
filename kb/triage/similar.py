"""Signatures that resemble a failure: a suggestion, never an answer.

Candidates come from the words they share with the failure, weighed by how rare each word is. A candidate's score is the
share of weight that both have in common, and how alike the two messages are as texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from kb.failures.model import Failure
from kb.index.card import Card, similar_words
from kb.index.store import Store
from kb.signature.model import Signature

#: Below this a candidate is not shown. On labelled logs of 85 failures all pairs above it speak of the same kind of
#: failure, and all pairs of failures that have nothing to do with each other stay below 0.3.
THRESHOLD = 0.4
#: Candidates that are compared closely.
_LOOKED_AT = 20
_SHOWN = 3
_LONGEST = 400
_COMMON_WEIGHT = 0.2


@cache
def common_words() -> frozenset[str]:
    """Words that error messages have in common whatever they are about."""
    text = Path(__file__).with_name("common.txt").read_text("utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


def similar(store: Store, failure: Failure, signature: Signature) -> list[tuple[Card, float, str]]:
    """The cards that resemble the failure, with score (0 to 1) and the reason in words, best first."""
    return [one for one in ranked(store, failure, signature) if one[1] >= THRESHOLD][:_SHOWN]


def ranked(store: Store, failure: Failure, signature: Signature) -> list[tuple[Card, float, str]]:
    """Like `similar`, for all cards that were compared, however little they resemble the failure."""
    functions = tuple(frame.function for frame in failure.frames)
    mine = similar_words(signature.type, signature.template, functions)
    telling = [word for word in mine if word not in common_words()] or list(mine)
    found = [card for card, _ in store.candidates(telling, _LOOKED_AT)]
    if not found:
        return []
    weights = _weights(store, {*mine, *(word for card in found for word in card.words)})
    scored = []
    for card in found:
        score, shared = _score(mine, signature, card, weights)
        scored.append((card, round(score, 3), f"shares {', '.join(shared[:6])}"))
    scored.sort(key=lambda one: (-one[1], one[0].id))
    return scored


def _weights(store: Store, words: set[str]) -> dict[str, float]:
    found = store.weights(sorted(words))
    return {word: weight * (_COMMON_WEIGHT if word in common_words() else 1.0) for word, weight in found.items()}


def _score(
    mine: tuple[str, ...], signature: Signature, card: Card, weights: Mapping[str, float]
) -> tuple[float, list[str]]:
    ours, theirs = set(mine), set(card.words)
    shared = sorted(ours & theirs, key=lambda word: (-weights[word], word))
    both = sum(weights[word] for word in ours | theirs)
    overlap = sum(weights[word] for word in shared) / both if both else 0.0
    from difflib import SequenceMatcher  # seldom needed, and start-up counts

    alike = SequenceMatcher(None, signature.template[:_LONGEST], card.template[:_LONGEST], autojunk=False).ratio()
    same_type = 1.0 if signature.type == card.type else 0.0
    return 0.6 * overlap + 0.3 * alike + 0.1 * same_type, shared
