"""Writing the full text of the index, one document at a time."""

from __future__ import annotations

import sqlite3

from kb.index.pieces import cut_tokens, parts_column
from kb.index.rows import Doc
from kb.index.squeeze import squeeze, unsqueeze
from kb.index.vocabulary import missing_words, spelled, write_words

#: After so many documents, the words of the index are read from the full text at the end instead of collected.
_MANY = 500
_COLUMNS = "title, proven, last, seen, heads, text"


class Texts:
    """The documents of an index that is being built."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._written = 0
        self._words: set[str] = set()

    def write(self, doc: Doc) -> None:
        """Put a document in, or in the place of the one of its kind and name."""
        query = f"SELECT number, {_COLUMNS} FROM doc WHERE kind = ? AND name = ?"  # noqa: S608
        row = self._db.execute(query, (doc.kind, doc.name)).fetchone()
        held = (*doc[2:7], squeeze(f"{doc.text}\0{doc.facets}"))
        if row is not None and row[1:] == held:
            return
        number = self._number(doc, held) if row is None else row[0]
        old, new = _full_text(*row[1:]) if row else None, _full_text(*held)
        if row is not None:
            changed = f"UPDATE doc SET ({_COLUMNS}) = (?, ?, ?, ?, ?, ?) WHERE number = ?"  # noqa: S608
            self._db.execute(changed, (*held, number))
        if old == new:
            return
        if old is not None:
            self._unfile(number, old)
        self._db.execute(
            "INSERT INTO doc_text (rowid, title, text, parts, facets) VALUES (?, ?, ?, ?, ?)", (number, *new)
        )
        self._written += 1
        if self._written <= _MANY:
            self._words.update(map(str.lower, cut_tokens("\n".join(new[:3]))))

    def remove(self, kind: str, name: str) -> None:
        """Take a document out, if it is there."""
        query = f"SELECT number, {_COLUMNS} FROM doc WHERE kind = ? AND name = ?"  # noqa: S608
        row = self._db.execute(query, (kind, name)).fetchone()
        if row is not None:
            self._db.execute("DELETE FROM doc WHERE number = ?", row[:1])
            self._unfile(row[0], _full_text(*row[1:]))

    def flush(self) -> None:
        """Write what was kept until all documents were there."""
        words = missing_words(self._db) if self._written > _MANY else self._words
        write_words(self._db, filter(spelled, words))
        self._words = set()
        self._written = 0

    def _number(self, doc: Doc, held: tuple[object, ...]) -> int:
        query = f"INSERT INTO doc (kind, name, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
        number = self._db.execute(query, (doc.kind, doc.name, *held)).lastrowid
        assert number is not None
        return number

    def _unfile(self, number: int, columns: tuple[str, ...]) -> None:
        """The full-text index keeps no texts: it must be told what it has to forget."""
        query = "INSERT INTO doc_text (doc_text, rowid, title, text, parts, facets) VALUES ('delete', ?, ?, ?, ?, ?)"
        self._db.execute(query, (number, *columns))


def _full_text(title: str, _proven: bool, _last: str, _seen: int, heads: str, blob: bytes) -> tuple[str, str, str, str]:
    """The columns of a document in the full-text index: title, text, parts, facets."""
    text, _, facets = unsqueeze(blob).partition("\0")
    return f"{title}\n{heads}".strip(), text, parts_column(text), facets
