"""Blocks: the documents in small files, of which the page loads the few that may hold what is asked."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, cast

from kb.runbook.data.scripts import data_script, script_value
from kb.runbook.data.search.documents import Document
from kb.runbook.data.search.grams import row_grams

#: How many characters of documents a block holds at most, on average.
PER_BLOCK = 6000

#: A row as it stands in a file: see `Document.row`.
Row = list[Any]


def blocks(documents: Iterable[Document]) -> list[list[Row]]:
    """The rows of all documents in blocks, their number a power of two.

    Which block holds a document depends only on its home and the number of blocks, so that a change stays in one.
    """
    rows: list[tuple[str, Row]] = [(document.home, document.row()) for document in documents]
    size = sum(len(row[2]) + len(row[3]) for _, row in rows)
    count = 1
    while count * PER_BLOCK < size:
        count *= 2
    made: list[list[Row]] = [[] for _ in range(count)]
    for home, row in rows:
        made[zlib.crc32(home.encode("utf-8", "surrogatepass")) & (count - 1)].append(row)
    for block in made:
        block.sort(key=lambda row: row[1])
    return made


def block_name(number: int) -> str:
    """The name of a block among the data."""
    return f"search/b{number}"


def block_script(number: int, block: list[Row]) -> str:
    """The file of a block."""
    return data_script(block_name(number), block)


def read_block(script: str) -> list[Row]:
    """The rows in the file of a block. Raises `ValueError` when it is none."""
    return cast("list[Row]", script_value(script))


def block_grams(block: Sequence[Row]) -> dict[str, bool]:
    """The grams of a block, each with whether a title in it holds it."""
    titles, every = row_grams(block)
    return {**dict.fromkeys(every, False), **dict.fromkeys(titles, True)}


def each_gram(every: Iterable[Sequence[Row]]) -> dict[str, list[int]]:
    """The grams of blocks, given in the order of their numbers, with their postings in rising order."""
    postings: dict[str, list[int]] = defaultdict(list)
    for number, block in enumerate(every):
        titles, found = row_grams(block)
        found -= titles
        for posting, some in ((2 * number, found), (2 * number + 1, titles)):
            for gram in some:
                postings[gram].append(posting)
    return postings
