"""Grams: the pieces of three characters by which the page finds the blocks that may hold a text.

A text holds a query only if it holds all grams of the query, so whatever is written, of any punctuation, in the midst
of any name, is found by them (Cox, "Regular Expression Matching with a Trigram Index", 2012). In scripts without
spaces between words two characters are a word already, so there pairs are grams too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from kb.runbook.data.scripts import text_hash

#: From here on (CJK radicals, kana, Han, Hangul) pairs of characters are grams.
_WIDE = "\u2e80"


def grams(text: str) -> set[str]:
    """The grams of `text`, which is in small letters."""
    found = set(map("".join, zip(text, text[1:], text[2:], strict=False)))
    if not text.isascii():
        found |= {pair for at in range(len(text) - 1) if (pair := text[at : at + 2]) >= _WIDE and pair[1:] >= _WIDE}
    return found


def part_grams(parts: Iterable[str]) -> set[str]:
    """The grams of parts of rows, each with a space on either side.

    Most of their words stand in others, too: what they hold is known, and only what lies across a space is new.
    """
    found: set[str] = set()
    words: set[str] = set()
    for part in parts:
        each = part.lower().split(" ")
        if "" in each:  # spaces at its ends or in a row, which no document has
            found |= grams(f" {part.lower()} ")
        else:
            words.update(each)
            found.update([f"{one[-1]} {other[0]}" for one, other in pairwise(each)])
    return found.union(*map(_word_grams, words))


@lru_cache(maxsize=1 << 14)
def _word_grams(word: str) -> frozenset[str]:
    return frozenset(grams(f" {word} "))


def row_grams(rows: Sequence[list[str]]) -> tuple[set[str], set[str]]:
    """The grams of rows (see `Document.row`): those of their titles, and all."""
    titles = part_grams(row[2] for row in rows)
    return titles, part_grams(part for row in rows for part in row[3:5]) | titles


def shard_of(gram: str, shards: int) -> int:
    """The shard that holds the postings of a gram; `shards` is a power of two."""
    value = text_hash(gram)
    return (value ^ value >> 15) & (shards - 1)
