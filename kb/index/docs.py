"""The full text of the index: one document a signature, fix or session."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from kb.index.postings import rows_in

Kind = Literal["signature", "fix", "session"]

#: Rows fetched for one question, unranked: to rank all rows of a common word costs more than it gains.
_ROWS = 300
_PIECES = 10


class Doc(NamedTuple):
    """A document: `name` is the signature's id, the fix's slug or the session's id."""

    number: int
    kind: Kind
    name: str
    title: str
    proven: bool
    text: str


class Docs:
    """The documents in an open index."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def count(self) -> int:
        """How many there are."""
        return int(self._db.execute("SELECT count(*) FROM doc").fetchone()[0])

    def named(self, name: str, kind: str = "") -> list[int]:
        """The documents of exactly this name."""
        query = "SELECT number FROM doc WHERE name = ? AND ? IN (kind, '') ORDER BY number"
        return self._numbers(query, (name, kind))

    def begins(self, start: str) -> list[int]:
        """The documents whose name begins with `start`."""
        query = "SELECT number FROM doc WHERE name >= ? AND name < ? ORDER BY name LIMIT ?"
        return self._numbers(query, (start, start + "\U0010ffff", _ROWS))

    def match(self, expression: str) -> list[int]:
        """The documents that an expression of the full-text index finds; none for an empty one."""
        if not expression:
            return []
        return self._numbers("SELECT rowid FROM doc_text WHERE doc_text MATCH ? LIMIT ?", (expression, _ROWS))

    def holding(self, pieces: Sequence[str]) -> list[int]:
        """The documents that hold every one of `pieces`, wherever words begin and end, found by reading them all."""
        wanted = [piece for piece in pieces if piece][:_PIECES]
        where = " AND ".join(["instr(lower(text), lower(?))"] * len(wanted))
        if not wanted:
            return []
        return self._numbers(f"SELECT number FROM doc WHERE {where} LIMIT ?", (*wanted, _ROWS))  # noqa: S608

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """How many documents hold each of these words; those that none holds are left out."""
        return dict(rows_in(self._db, "SELECT term, doc FROM doc_word WHERE term IN ({})", words))

    def read(self, numbers: Sequence[int]) -> Iterator[Doc]:
        """These documents."""
        query = "SELECT number, kind, name, title, proven, text FROM doc WHERE number IN ({})"
        return (Doc(*row) for row in rows_in(self._db, query, numbers))

    def _numbers(self, query: str, values: Sequence[object]) -> list[int]:
        return [number for (number,) in self._db.execute(query, values)]
