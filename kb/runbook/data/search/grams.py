"""Grams: the pieces of three characters by which the page finds the blocks that may hold a text.

A text holds a query only if it holds all grams of the query, so whatever is written, of any punctuation, in the midst
of any name, is found by them (Cox, "Regular Expression Matching with a Trigram Index", 2012). In scripts without
spaces between words two characters are a word already, so there pairs are grams too.
"""

from __future__ import annotations

from collections.abc import Iterable

from kb.runbook.data.scripts import text_hash

#: From here on (CJK radicals, kana, Han, Hangul) pairs of characters are grams.
_WIDE = "\u2e80"


def grams(text: str) -> set[str]:
    """The grams of `text`, which is in small letters."""
    found = set(map("".join, zip(text, text[1:], text[2:], strict=False)))
    if not text.isascii():
        found |= {pair for at in range(len(text) - 1) if (pair := text[at : at + 2]) >= _WIDE and pair[1:] >= _WIDE}
    return found


def row_grams(rows: Iterable[list[str]]) -> tuple[set[str], set[str]]:
    """The grams of rows (see `Document.row`): those of their titles, and all."""
    titles: set[str] = set()
    every: set[str] = set()
    for row in rows:
        title, text, also = (f" {part} ".lower() for part in row[2:5])
        titles |= grams(title)
        every |= grams(text)
        if also.strip():
            every |= grams(also)
    return titles, every | titles


def shard_of(gram: str, shards: int) -> int:
    """The shard that holds the postings of a gram; `shards` is a power of two."""
    value = text_hash(gram)
    return (value ^ value >> 15) & (shards - 1)
