"""Writing the full text of the index, one document at a time."""

from __future__ import annotations

import sqlite3
from collections import Counter

from kb.index.pieces import cut_tokens, parts_column
from kb.index.rows import Doc
from kb.index.squeeze import squeeze, unsqueeze
from kb.index.vocabulary import count_all_words, count_words

#: After so many documents, all words of the full text are counted anew instead of those that changed.
_MANY = 500
_COLUMNS = "title, proven, last, seen, heads, text"


class Texts:
    """The documents of an index that is being built."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._changed = 0
        self._words: Counter[str] = Counter()

    def write(self, doc: Doc) -> None:
        """Put a document in, or in the place of the one of its kind and name."""
        query = f"SELECT number, {_COLUMNS} FROM doc WHERE kind = ? AND name = ?"  # noqa: S608
        row = self._db.execute(query, (doc.kind, doc.name)).fetchone()
        held = (*doc[2:7], squeeze(f"{doc.text}\0{doc.facets}"))
        if row is not None and row[1:] == held:
            return
        number = self._number(doc, held) if row is None else row[0]
        old, new = _full_text(*row[1:]) if row else None, _columns(doc.title, doc.heads, doc.text, doc.facets)
        if row is not None:
            changed = f"UPDATE doc SET ({_COLUMNS}) = (?, ?, ?, ?, ?, ?) WHERE number = ?"  # noqa: S608
            self._db.execute(changed, (*held, number))
        if old == new:
            return
        if old is not None:
            self._unfile(number, old)
        query = "INSERT INTO doc_text (rowid, title, text, parts, facets) VALUES (?, ?, ?, ?, ?)"
        self._db.execute(query, (number, *new))
        self._count(new, 1)

    def remove(self, kind: str, name: str) -> None:
        """Take a document out, if it is there."""
        query = f"SELECT number, {_COLUMNS} FROM doc WHERE kind = ? AND name = ?"  # noqa: S608
        row = self._db.execute(query, (kind, name)).fetchone()
        if row is not None:
            self._db.execute("DELETE FROM doc WHERE number = ?", row[:1])
            self._unfile(row[0], _full_text(*row[1:]))

    def flush(self) -> None:
        """Write what was kept until all documents were there."""
        if self._changed > _MANY:
            count_all_words(self._db)
        else:
            count_words(self._db, {word: change for word, change in self._words.items() if change})
        self._words.clear()
        self._changed = 0

    def _number(self, doc: Doc, held: tuple[object, ...]) -> int:
        query = f"INSERT INTO doc (kind, name, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
        number = self._db.execute(query, (doc.kind, doc.name, *held)).lastrowid
        assert number is not None
        return number

    def _unfile(self, number: int, columns: tuple[str, ...]) -> None:
        """The full-text index keeps no texts: it must be told what it has to forget."""
        query = "INSERT INTO doc_text (doc_text, rowid, title, text, parts, facets) VALUES ('delete', ?, ?, ?, ?, ?)"
        self._db.execute(query, (number, *columns))
        self._count(columns, -1)

    def _count(self, columns: tuple[str, ...], change: int) -> None:
        self._changed += 1
        if self._changed <= _MANY:
            for word in {word.lower() for word in cut_tokens("\n".join(columns))}:
                self._words[word] += change


def _full_text(title: str, _proven: bool, _last: str, _seen: int, heads: str, blob: bytes) -> tuple[str, str, str, str]:
    """The columns of a document in the full-text index: title, text, parts, facets."""
    text, _, facets = unsqueeze(blob).partition("\0")
    return _columns(title, heads, text, facets)


def _columns(title: str, heads: str, text: str, facets: str) -> tuple[str, str, str, str]:
    return f"{title}\n{heads}".strip(), text, parts_column(text), facets
