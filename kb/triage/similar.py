"""Signatures that resemble a failure: a suggestion, never an answer.

Candidates come from the words and places they share with the failure, weighed by how rare each is. The best of them are
compared closely: by the weight that both have in common, by the order of their words, by their places and their type.
They are ranked by this score, by how much of the message, in runs of three characters, the candidate says as well
(messages come with a word cut off or with more behind them), and by how many of the failure's places it has as well:
that it was met in other ways too says nothing against it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kb.failures.model import Failure
from kb.index.alike import Alike, alike_words, frame_words
from kb.index.card import Card
from kb.index.store import Store
from kb.signature.model import Signature
from kb.signature.words import words

#: Below this a candidate is not shown: bench/README.md has the curve that it was chosen from.
THRESHOLD = 0.5
#: What a score counts when one of the two has no places to compare: messages alone resemble others much more often.
_WITHOUT_PLACES = 0.7
#: What the share of the message's runs that a candidate holds counts beside the score, where candidates are ranked.
_RUNS = 0.75
#: What the share of the failure's places that a candidate has counts there.
_PLACES = 0.3
#: Candidates that are compared closely.
_LOOKED_AT = 20
SHOWN = 3
_TOLD = 6
_COMMON_WEIGHT = 0.2


class Compared(NamedTuple):
    """A candidate: its score (0 to 1), and what it shares with the failure, the rarest first.

    `same` tells that type and message are the same, `placed` that both have places to compare.
    """

    alike: Alike
    score: float
    words: tuple[str, ...]
    frames: tuple[str, ...]
    same: bool
    placed: bool

    @property
    def why(self) -> str:
        """What both share and what not, in words."""
        said = ["has the same message, which says too little by itself"] if self.same else []
        if not self.same:
            said.append(f"shares {', '.join(self.words[:_TOLD])}" if self.words else "shares no word of the message")
        if self.frames:
            said.append(f"comes from {' and '.join(map(_place, self.frames[:2]))}, too")
        else:
            said.append("comes from other places" if self.placed else "has no places to compare")
        return "; ".join(said)


@cache
def common_words() -> frozenset[str]:
    """Words that error messages have in common whatever they are about."""
    text = Path(__file__).with_name("common.txt").read_text("utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


def similar(store: Store, failure: Failure, signature: Signature) -> list[tuple[Card, float, str]]:
    """The cards that resemble the failure, with score (0 to 1) and the reason in words, best first."""
    best: dict[str, tuple[Card, float, str]] = {}
    for one in compared(store, failure, signature):
        if len(best) == SHOWN:
            break
        if one.score < THRESHOLD:
            continue
        # A signature that others were merged into is known by several types and templates.
        card = store.lookup_id(one.alike.id)
        if card is not None:
            best.setdefault(card.id, (card, one.score, one.why))
    return list(best.values())


def compared(store: Store, failure: Failure, signature: Signature) -> list[Compared]:
    """All signatures that were compared closely, however little they resemble the failure, best first.

    Their order is finer than their scores.
    """
    mine = Alike(signature.id, signature.type, signature.template, frame_words(reversed(failure.frames)))
    ours = alike_words(mine.type, mine.template, mine.frames)
    common = [word for word in ours if word in common_words()]
    telling = [word for word in ours if word not in common_words()]
    found = store.candidates(telling, _LOOKED_AT, common=common, common_weight=_COMMON_WEIGHT)
    texts = {one.id: words(f"{one.type} {one.template}") for one in (mine, *found)}
    every = {word for one in (mine, *found) for word in (*texts[one.id], *one.frames)}
    weights = {
        word: weight * (_COMMON_WEIGHT if word in common_words() else 1.0)
        for word, weight in store.weights(sorted(every)).items()
    }
    scored = [_compare(mine, one, texts, weights) for one in found]
    held = _runs_held(mine.template)
    places = sum(weights[frame] for frame in mine.frames) or 1.0

    def rank(one: Compared) -> tuple[float, str]:
        had = sum(weights[frame] for frame in one.frames) / places
        return -round(one.score + _RUNS * held(one.alike.template) + _PLACES * had, 6), one.alike.id

    return sorted(scored, key=rank)


def _runs_held(message: str) -> Callable[[str], float]:
    """The share of the runs of three characters of `message` that another one holds (0 to 1)."""
    lower = message.lower()
    runs = {lower[at : at + 3] for at in range(max(len(lower) - 2, 1))}

    def held(other: str) -> float:
        other = other.lower()
        return sum(run in other for run in runs) / len(runs)

    return held


def _compare(mine: Alike, other: Alike, texts: Mapping[str, Sequence[str]], weights: Mapping[str, float]) -> Compared:
    from difflib import SequenceMatcher  # seldom needed, and start-up counts

    ours, theirs = texts[mine.id], texts[other.id]
    overlap, shared = _overlap(ours, theirs, weights)
    order = SequenceMatcher(None, ours, theirs, autojunk=False).ratio()
    score = 0.5 * overlap + 0.3 * order + 0.2 * (mine.type == other.type)
    frames: tuple[str, ...] = ()
    if mine.frames and other.frames:
        places, frames = _overlap(mine.frames, other.frames, weights)
        score = 0.65 * score + 0.35 * places
    else:
        score *= _WITHOUT_PLACES
    same = (mine.type, mine.template) == (other.type, other.template)
    return Compared(other, round(score, 3), shared, frames, same, bool(mine.frames and other.frames))


def _place(frame: str) -> str:
    """A place as people say it: `load_weights (loader)`."""
    file, _, function = frame.partition(":")
    return f"{function} ({file})" if file else function


def _overlap(ours: Sequence[str], theirs: Sequence[str], weights: Mapping[str, float]) -> tuple[float, tuple[str, ...]]:
    """The share of weight that both have in common (Dice's coefficient), and what that is, the rarest first."""
    shared = sorted(set(ours) & set(theirs), key=lambda word: (-weights[word], word))
    both = sum(weights[word] for word in (*ours, *theirs))
    return (2 * sum(weights[word] for word in shared) / both if both else 0.0), tuple(shared)
