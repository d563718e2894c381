"""Writing the full text of the index, one document at a time."""

from __future__ import annotations

import sqlite3
from collections import Counter
from operator import itemgetter

from kb.index.facets import KINDS, unmarked
from kb.index.facts import Shelf
from kb.index.pieces import cut_tokens, day_number, parts_column, without_moments
from kb.index.rows import Doc
from kb.index.vocabulary import count_all_words, count_words

#: After so many documents, all words of the full text are counted anew instead of those that changed.
_MANY = 500
#: Where in a row of a document begins what may change.
_HELD = 3
_COLUMNS = "title, proven, last, seen, file"
PUT = f"INSERT OR REPLACE INTO doc (number, kind, name, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_DROP_TEXT = "INSERT INTO doc_text (doc_text, rowid, title, text, parts) VALUES ('delete', ?, ?, ?, ?)"
PUT_TEXT = "INSERT INTO doc_text (rowid, title, text, parts) VALUES (?, ?, ?, ?)"


class Texts:
    """The documents of an index that is being changed.

    Those that are written are kept until `flush`, which is quicker than one at a time: the full-text index begins a
    list of its own, to be merged with the others, whenever it is given a number below the last one.
    """

    def __init__(self, db: sqlite3.Connection, shelf: Shelf) -> None:
        self._db = db
        self._shelf = shelf
        self._last = int(db.execute("SELECT coalesce(max(number), 0) FROM doc").fetchone()[0])
        self._docs: list[tuple[object, ...]] = []
        self._full: list[tuple[object, ...]] = []
        self._gone: list[tuple[object, ...]] = []
        self._changed = 0
        self._words: Counter[str] = Counter()

    def write(self, doc: Doc, file: int) -> None:
        """Put a document in, or in the place of the one of its kind and name; `file` is that of what it is like."""
        row = self._row(doc.kind, doc.name)
        said = said_of(doc)
        old = columns(row[1], self._shelf.text(row[0], row[-1])) if row is not None else None
        if row is None:
            self._last += 1
        number = self._last if row is None else row[0]
        put = doc_row(number, doc, file)
        if row is None or row[1:] != put[_HELD:]:
            self._docs.append(put)
        if row is not None and row[-1] != file:
            self._shelf.drop_text(number, row[-1])
        self._shelf.put_text(number, file, said)
        new = columns(doc.title, said)
        if old == new:
            return
        if old is not None:
            self._unfile(number, old)
        self._full.append((number, *new))
        self._count(new, 1)

    def remove(self, kind: str, name: str) -> None:
        """Take a document out, if it is there."""
        row = self._row(kind, name)
        if row is not None:
            self._db.execute("DELETE FROM doc WHERE number = ?", row[:1])
            self._unfile(row[0], columns(row[1], self._shelf.text(row[0], row[-1])))
            self._shelf.drop_text(row[0], row[-1])

    def flush(self) -> None:
        """Write the documents."""
        for statement, rows in ((PUT, self._docs), (_DROP_TEXT, self._gone), (PUT_TEXT, self._full)):
            rows.sort(key=itemgetter(0))
            self._db.executemany(statement, rows)
            rows.clear()

    def count(self) -> None:
        """Count the words of all documents, which are there now."""
        self.flush()
        if self._changed > _MANY:
            count_all_words(self._db)
        else:
            count_words(self._db, {word: change for word, change in self._words.items() if change})
        self._words.clear()
        self._changed = 0

    def _row(self, kind: str, name: str) -> tuple[int, str, int, str, int, int] | None:
        query = f"SELECT number, {_COLUMNS} FROM doc WHERE kind = ? AND name = ?"  # noqa: S608
        row: tuple[int, str, int, str, int, int] | None = self._db.execute(query, (KINDS.index(kind), name)).fetchone()
        return row

    def _unfile(self, number: int, filed: tuple[str, ...]) -> None:
        """The full-text index keeps no texts: it must be told what it has to forget."""
        self._gone.append((number, *filed))
        self._count(filed, -1)

    def _count(self, filed: tuple[str, ...], change: int) -> None:
        self._changed += 1
        if self._changed <= _MANY:
            titles, text, parts = filed
            facets, _, own = text.partition("\n")
            for word in {*facets.split(" "), *map(str.lower, cut_tokens(f"{titles}\n{own}\n{parts}"))}:
                self._words[word] += change


def said_of(doc: Doc) -> str:
    """What is said of a document, as it is kept beside facts."""
    return "\0".join((doc.heads, doc.facets, doc.text))


def doc_row(number: int, doc: Doc, file: int) -> tuple[object, ...]:
    """The row of a document that lies beside the facts of this file."""
    return (
        *(number, KINDS.index(doc.kind), doc.name),
        *(doc.title, doc.proven, day_number(doc.last), doc.seen, file),
    )


def columns(title: str, said: str) -> tuple[str, str, str]:
    """The columns of a document in the full-text index: title, text, parts.

    Whatever asks for the text asks for the title as well, so its lines need not be in both. Before the text stand the
    made-up words, in one line: in a column of their own they would take half as much room again.
    """
    heads, facets, text = said.split("\0", 2)
    titles = unmarked(f"{title}\n{heads}".strip())
    text = unmarked(text)
    held = frozenset(titles.split("\n"))
    own = "\n".join([line for line in text.split("\n") if line not in held])
    return titles, f"{facets}\n{without_moments(own)}", parts_column(text)
