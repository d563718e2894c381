"""The full text of the index: one document a signature, fix or session."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kb.index.facets import KINDS, PROVEN, Kind, token
from kb.index.facts import read_texts
from kb.index.pieces import day_text
from kb.index.postings import rows_in
from kb.index.press import Press, press_of
from kb.index.vocabulary import documents_with

_ANY = " OR ".join(f'"{token("kind", kind)}"' for kind in KINDS)
#: Rows fetched for one question, unranked: to rank all rows of a common word costs more than it gains.
_ROWS = 120
#: Where every word of a question is common, so many documents of the rarest one are looked through.
_LOOKED_THROUGH = 2500


class Doc(NamedTuple):
    """A document without its text: `name` is the signature's id, the fix's slug or the session's id.

    `proven` tells whether a fix helped, `last` is the ISO date of its newest evidence, `seen` in how many sessions it
    is.
    """

    number: int
    kind: Kind
    name: str
    title: str
    proven: bool
    last: str
    seen: int


class Narrowed(NamedTuple):
    """What filters ask: an expression that must hold, one that must not, and the first day; "" where nothing is.

    Where `named` holds, the failure itself names the components that are asked for.
    """

    wanted: str = ""
    unwanted: str = ""
    since: str = ""
    named: str = ""


class Docs:
    """The documents in an open index that hold what filters ask."""

    def __init__(self, db: sqlite3.Connection, narrowed: Narrowed | None = None) -> None:
        self._db = db
        self._narrowed = narrowed or Narrowed()
        self._after = 0
        self._press: Press | None = None

    def count(self) -> int:
        """How many there are, with or without filters."""
        return int(self._db.execute("SELECT coalesce(max(number), 0) FROM doc").fetchone()[0])

    def named(self, name: str, kind: Kind | None = None) -> list[int]:
        """The documents of exactly this name."""
        query = "SELECT number FROM doc WHERE name = ? AND coalesce(kind = ?, 1) ORDER BY number"
        return self.kept(self._numbers(query, (name, KINDS.index(kind) if kind else None)))

    def begins(self, start: str) -> list[int]:
        """The documents whose name begins with `start`."""
        query = "SELECT number FROM doc WHERE name >= ? AND name < ? ORDER BY name LIMIT ?"
        return self.kept(self._numbers(query, (start, start + "\U0010ffff", _ROWS)))

    def match(self, expression: str, *, columns: str = "title text parts", proven: bool = False) -> list[int]:
        """The documents that an expression of the full-text index finds in these columns; none for an empty one."""
        if not expression:
            return []
        asked = self._with_filters(f"({{{columns}}} : ({expression}))", proven=proven)
        query = "SELECT rowid FROM doc_text WHERE doc_text MATCH ? AND rowid > ? LIMIT ?"
        return self._numbers(query, (asked, self._after, _ROWS))

    def look_through(self, rows: int) -> None:
        """Bound the cost of a question whose rarest word so many documents hold: look only at the newest of them."""
        self._after = self.count() * (rows - _LOOKED_THROUGH) // rows if rows > _LOOKED_THROUGH else 0

    def best_match(self, expression: str, *, columns: str = "title text parts") -> list[int]:
        """Like `match`, but where there are more than are fetched, those with proven fixes come first."""
        numbers = self.match(expression, columns=columns)
        if len(numbers) < _ROWS:
            return numbers
        return list(dict.fromkeys([*self.match(expression, columns=columns, proven=True), *numbers]))[:_ROWS]

    def of_kind(self, kind: Kind, limit: int = _ROWS, *, named: bool = False) -> list[int]:
        """The documents of one kind, whatever they hold; with `named`, of failures that name what is asked for."""
        if named and not self._narrowed.named:
            return []
        expression = self._with_filters(f'(text : "{token("kind", kind)}")', proven=False)
        expression = f"{self._narrowed.named} AND {expression}" if named else expression
        return self._numbers("SELECT rowid FROM doc_text WHERE doc_text MATCH ? LIMIT ?", (expression, limit))

    def kept(self, numbers: Sequence[int]) -> list[int]:
        """Those of these documents that the filters let through, in the same order."""
        if not numbers or not (self._narrowed.wanted or self._narrowed.unwanted):
            return list(numbers)
        expression = self._with_filters(f"(text : ({_ANY}))", proven=False)
        marks = ", ".join("?" * len(numbers))
        query = f"SELECT rowid FROM doc_text WHERE doc_text MATCH ? AND rowid IN ({marks})"  # noqa: S608
        found = set(self._numbers(query, (expression, *numbers)))
        return [number for number in numbers if number in found]

    def named_among(self, numbers: Sequence[int]) -> frozenset[int]:
        """Those of these documents whose failure itself names the components that the filters ask for."""
        if not self._narrowed.named:
            return frozenset()
        query = "SELECT rowid FROM doc_text WHERE doc_text MATCH ? AND rowid IN ({})"
        marks = ", ".join("?" * len(numbers))
        return frozenset(self._numbers(query.format(marks), (self._narrowed.named, *numbers)))

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """How many documents hold each of these words; those that none holds are left out."""
        return documents_with(self._db, words)

    def any_signature(self, numbers: Sequence[int]) -> bool:
        """Whether one of these documents is a signature's."""
        query = "SELECT 1 FROM doc WHERE kind = 0 AND number IN ({})"
        return next(rows_in(self._db, query, numbers), None) is not None

    def has(self, name: str, value: str) -> bool:
        """Whether the filter `name` finds anything with this value, such as the name of a component."""
        query = "SELECT 1 FROM doc_text WHERE doc_text MATCH ? LIMIT 1"
        return self._db.execute(query, (f'text : "{token(name, value)}"',)).fetchone() is not None

    def values(self, name: str) -> list[str]:
        """The values that the filter `name` finds something with, folded."""
        start = token(name, "")
        query = "SELECT word FROM word WHERE docs > 0 AND word >= ? AND word < ? ORDER BY word"
        rows = self._db.execute(query, (start, start + "\U0010ffff"))
        return [word.removeprefix(start) for (word,) in rows]

    def read(self, numbers: Sequence[int]) -> Iterator[Doc]:
        """These documents; not those that are older than the filters ask."""
        query = "SELECT number, kind, name, title, proven, last, seen FROM doc WHERE number IN ({})"
        docs = (
            Doc(number, KINDS[kind], name, title, proven, day_text(last), seen)
            for number, kind, name, title, proven, last, seen in rows_in(self._db, query, numbers)
        )
        return (doc for doc in docs if doc.last >= self._narrowed.since)

    def texts(self, numbers: Sequence[int]) -> dict[int, str]:
        """The texts of these documents."""
        files = dict(rows_in(self._db, "SELECT number, file FROM doc WHERE number IN ({})", numbers))
        found: dict[int, str] = {}
        if files and self._press is None:
            self._press = press_of(self._db)
        query = "SELECT facts FROM facts WHERE file IN ({})"
        for (blob,) in rows_in(self._db, query, sorted(set(files.values()))):
            assert self._press is not None
            texts = read_texts(self._press.unpack(blob))
            found |= {number: said.split("\0", 2)[2] for number, said in texts.items() if number in files}
        return {number: found[number] for number in numbers if number in found}

    def _with_filters(self, expression: str, *, proven: bool) -> str:
        wanted = [expression, self._narrowed.wanted, f'(text : "{PROVEN}")' if proven else ""]
        asked = " AND ".join(filter(None, wanted))
        return f"({asked}) NOT ({self._narrowed.unwanted})" if self._narrowed.unwanted else asked

    def _numbers(self, query: str, values: Sequence[object]) -> list[int]:
        return [number for (number,) in self._db.execute(query, values)]
