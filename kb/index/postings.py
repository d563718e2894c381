"""Which signatures a word leads to: lists of numbers in blocks, so that one more signature changes one small row.

A block holds the numbers of one word that have the same upper bits; of each the lower 14 bits are stored, ascending, as
16-bit little-endian integers.
"""

from __future__ import annotations

import sqlite3
import struct
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Literal

_BITS = 14
_LOWER = (1 << _BITS) - 1
_AT_ONCE = 500

Table = Literal["posting", "anchor"]


def pack(numbers: Iterable[int]) -> bytes:
    """The lower bits of `numbers`, which are all of one block."""
    ordered = sorted(number & _LOWER for number in numbers)
    return struct.pack(f"<{len(ordered)}H", *ordered)


def unpack(block: int, blob: bytes) -> list[int]:
    """The numbers that `pack` packed for this block."""
    return [number_in(block, lower) for lower in _lowers(blob)]


def lowers_of(db: sqlite3.Connection, word: str) -> Iterator[tuple[int, Sequence[int]]]:
    """The blocks with signatures that a word leads to: each with the lower bits of their numbers, ascending."""
    for block, blob in db.execute("SELECT block, numbers FROM posting WHERE word = ?", (word,)):
        yield block, _lowers(blob)


def _lowers(blob: bytes) -> Sequence[int]:
    """The lower bits that `pack` packed."""
    lowers = array("H", blob)
    if sys.byteorder == "big":
        lowers.byteswap()
    return lowers


def number_in(block: int, lower: int) -> int:
    """The number of a block that has these lower bits."""
    return (block << _BITS) + lower


def numbers_of(db: sqlite3.Connection, table: Table, word: str) -> Iterator[int]:
    """The signatures that a word leads to, ascending."""
    query = f"SELECT block, numbers FROM {table} WHERE word = ? ORDER BY block"  # noqa: S608
    for block, blob in db.execute(query, (word,)):
        yield from unpack(block, blob)


def frequencies(db: sqlite3.Connection, words: Sequence[str]) -> dict[str, int]:
    """How many signatures hold each of these words; those that none holds are left out. Reads no list of numbers."""
    query = "SELECT word, sum(length(numbers)) / 2 FROM posting WHERE word IN ({}) GROUP BY word"
    return dict(rows_in(db, query, words))


class Changes:
    """What words lead to from now on, collected until it is written; with `fresh` the table is empty until then."""

    def __init__(self, db: sqlite3.Connection, table: Table, *, fresh: bool = False) -> None:
        self._db = db
        self._table = table
        self._fresh = fresh
        self._added: dict[int, dict[str, list[int]]] = {}
        self._removed: dict[tuple[str, int], set[int]] = {}

    def add(self, words: Iterable[str], number: int) -> None:
        """From now on, these words (each once) lead to the signature `number`."""
        block = number >> _BITS
        added = self._added.setdefault(block, {})
        for word in words:
            if self._removed and (word, block) in self._removed:
                self._removed[word, block].discard(number)
            held = added.get(word)
            if held is None:
                added[word] = [number]
            else:
                held.append(number)

    def remove(self, word: str, number: int) -> None:
        """From now on, `word` no longer leads to it."""
        self._removed.setdefault((word, number >> _BITS), set()).add(number)

    def write(self) -> None:
        """Write what was collected."""
        put = f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?, ?)"  # noqa: S608
        if self._fresh:
            self._db.executemany(put, self._blocks())
        else:
            emptied, changed = self._changes()
            self._db.executemany(f"DELETE FROM {self._table} WHERE word = ? AND block = ?", emptied)  # noqa: S608
            self._db.executemany(put, changed)
        self._added.clear()
        self._removed.clear()

    def _blocks(self) -> Iterator[tuple[str, int, bytes]]:
        """The blocks of a table that was empty."""
        for word, block in sorted((word, block) for block, words in self._added.items() for word in words):
            numbers: Collection[int] = self._added[block][word]
            if self._removed:
                numbers = set(numbers) - self._removed.get((word, block), set())
            if numbers:
                yield word, block, pack(numbers)

    def _changes(self) -> tuple[list[tuple[str, int]], list[tuple[str, int, bytes]]]:
        """Blocks that hold nothing any more, and those that hold something else."""
        read = f"SELECT numbers FROM {self._table} WHERE word = ? AND block = ?"  # noqa: S608
        emptied: list[tuple[str, int]] = []
        changed: list[tuple[str, int, bytes]] = []
        added = {(word, block): numbers for block, words in self._added.items() for word, numbers in words.items()}
        for word, block in sorted({*added, *self._removed}):
            row = self._db.execute(read, (word, block)).fetchone()
            before = set(unpack(block, row[0])) if row else set[int]()
            key = (word, block)
            after = before.union(added.get(key, ())) - self._removed.get(key, set())
            if after and after != before:
                changed.append((word, block, pack(after)))
            elif not after and row:
                emptied.append(key)
        return emptied, changed


def rows_in(db: sqlite3.Connection, query: str, values: Sequence[object]) -> Iterator[tuple[Any, ...]]:
    """The rows of `query`, whose one IN list (written `{}`) is `values`, in as many statements as that takes."""
    for start in range(0, len(values), _AT_ONCE):
        part = values[start : start + _AT_ONCE]
        yield from db.execute(query.format(marks(part)), part)


def marks(values: Sequence[object]) -> str:
    """A question mark for each of `values`."""
    return ", ".join("?" * len(values))
