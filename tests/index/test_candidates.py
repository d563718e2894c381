"""The signatures that share most with a failure, as if all that is filed under its words were read."""

from __future__ import annotations

import random
import sqlite3

import pytest

from kb.index.candidates import Word, candidates
from kb.index.postings import Changes
from kb.index.schema import TABLES

SIGNATURES = 9000  # more than a block holds


@pytest.fixture(scope="module")
def filed() -> dict[str, set[int]]:
    """Words, and the signatures that hold them: from a few to most."""
    random_ = random.Random(3)
    sizes = (1, 3, 40, 300, 900, 2000, 4000, 8000)
    return {f"w{size}-{at}": set(random_.sample(range(SIGNATURES), size)) for size in sizes for at in range(3)}


@pytest.fixture(scope="module")
def db(filed: dict[str, set[int]]) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.executescript(TABLES)
    changes = Changes(db, "posting", fresh=True)
    for word, numbers in filed.items():
        for number in sorted(numbers):
            changes.add([word], number)
    changes.write()
    return db


def word(filed: dict[str, set[int]], text: str, *, leads: bool = True) -> Word:
    frequency = len(filed.get(text, ()))
    return Word(text, frequency, SIGNATURES / (frequency + 1), leads)


def best_of_all(filed: dict[str, set[int]], words: list[Word], limit: int) -> set[int]:
    """Of all signatures that a leading word leads to, those that share most with all words."""
    found = {number for one in words if one.leads for number in filed.get(one.text, ())}
    scores = {number: sum(one.weight for one in words if number in filed.get(one.text, ())) for number in found}
    return set(sorted(scores, key=lambda number: (-round(scores[number], 6), number))[:limit])


@pytest.mark.parametrize("seed", range(30))
def test_the_best_are_those_of_all(db: sqlite3.Connection, filed: dict[str, set[int]], seed: int) -> None:
    random_ = random.Random(seed)
    few = [text for text, numbers in filed.items() if len(numbers) < 1000]
    led = [word(filed, text) for text in random_.sample(few, 3)]
    more = [word(filed, text, leads=False) for text in random_.sample([one for one in filed if one not in few], 2)]
    found = candidates(db, [*led, *more, word(filed, "unheard-of")], 20)
    assert set(found) == best_of_all(filed, [*led, *more], 20)


def test_words_beyond_the_budget_still_tell_candidates_apart(
    db: sqlite3.Connection, filed: dict[str, set[int]]
) -> None:
    words = [word(filed, text) for text in ("w2000-0", "w2000-1", "w4000-0", "w8000-0")]
    found = candidates(db, words, 5)
    both = filed["w2000-0"] & filed["w2000-1"]
    best = both & filed["w4000-0"] & filed["w8000-0"]
    assert len(best) >= 5, "the test is about something"
    assert set(found) <= best


def test_common_words_lead_to_something_only_when_nothing_else_does(
    db: sqlite3.Connection, filed: dict[str, set[int]]
) -> None:
    common = word(filed, "w300-0", leads=False)
    assert set(candidates(db, [word(filed, "w1-0"), common], 9)) == filed["w1-0"]
    found = candidates(db, [word(filed, "unheard-of"), common], 9)
    assert len(found) == 9
    assert set(found) < filed["w300-0"]
    assert candidates(db, [word(filed, "unheard-of")], 9) == []
