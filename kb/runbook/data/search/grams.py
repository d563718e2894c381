"""Grams: the pieces of three characters by which the page finds the blocks that may hold a text.

A text holds a query only if it holds all grams of the query, so whatever is written, of any punctuation, in the midst
of any name, is found by them (Cox, "Regular Expression Matching with a Trigram Index", 2012). In scripts without
spaces between words two characters are a word already, so there pairs are grams too.
"""

from __future__ import annotations

from kb.runbook.data.scripts import text_hash

#: From here on (CJK radicals, kana, Han, Hangul) pairs of characters are grams.
_WIDE = "\u2e80"


def grams(text: str) -> set[str]:
    """The grams of `text`, which is in small letters."""
    found = {text[at : at + 3] for at in range(len(text) - 2)}
    if not text.isascii():
        found |= {pair for at in range(len(text) - 1) if (pair := text[at : at + 2]) >= _WIDE and pair[1:] >= _WIDE}
    return found


def row_grams(row: list[str]) -> tuple[set[str], set[str]]:
    """The grams of a row (see `Document.row`): those of its title, and all."""
    title, text, also = (f" {part} ".lower() for part in row[2:5])
    titles = grams(title)
    return titles, titles | grams(text) | (grams(also) if also.strip() else set())


def shard_of(gram: str, shards: int) -> int:
    """The shard that holds the postings of a gram; `shards` is a power of two."""
    value = text_hash(gram)
    return (value ^ value >> 15) & (shards - 1)
