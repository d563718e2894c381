"""Writing the full text of the index, one document at a time."""

from __future__ import annotations

import sqlite3

from kb.index.pieces import parts_column
from kb.index.rows import Doc


class Texts:
    """The documents of an index that is being built."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def write(self, doc: Doc) -> None:
        """Put a document in, or in the place of the one of its kind and name."""
        query = "SELECT number, title, proven, text FROM doc WHERE kind = ? AND name = ?"
        row = self._db.execute(query, (doc.kind, doc.name)).fetchone()
        if row is None:
            number = self._db.execute(
                "INSERT INTO doc (kind, name, title, proven, text) VALUES (?, ?, ?, ?, ?)", doc
            ).lastrowid
        elif row[1:] == (doc.title, doc.proven, doc.text):
            return
        else:
            number = row[0]
            changed = (doc.title, doc.proven, doc.text, number)
            self._db.execute("UPDATE doc SET title = ?, proven = ?, text = ? WHERE number = ?", changed)
            if row[3] == doc.text:
                return
            self._unfile(number, row[3])
        filed = (number, doc.text, parts_column(doc.text))
        self._db.execute("INSERT INTO doc_text (rowid, text, parts) VALUES (?, ?, ?)", filed)

    def remove(self, kind: str, name: str) -> None:
        """Take a document out, if it is there."""
        query = "SELECT number, text FROM doc WHERE kind = ? AND name = ?"
        row = self._db.execute(query, (kind, name)).fetchone()
        if row is not None:
            self._db.execute("DELETE FROM doc WHERE number = ?", row[:1])
            self._unfile(*row)

    def _unfile(self, number: int, text: str) -> None:
        """The full-text index keeps no texts: it must be told what it has to forget."""
        self._db.execute(
            "INSERT INTO doc_text (doc_text, rowid, text, parts) VALUES ('delete', ?, ?, ?)",
            (number, text, parts_column(text)),
        )
