"""The words of the full text, for queries that name a part of one, or one with a typing mistake.

Each word is kept with its runs of three characters. The words that share most runs with what was typed are compared
with it by the number of edits; runs are read rarest first within a budget, so that the cost does not grow with the
index.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kb.index.facets import made_up
from kb.index.postings import rows_in

_SHORTEST = 4
_LONGEST = 40
#: Rows of the runs that are read for one word, and words that are compared closely.
_BUDGET = 4000
_COMPARED = 40
_OFFERED = 8
#: Words that begin as typed: so many are counted, and so many looked for.
_BEGUN = 400
_BEGINNINGS = 12
#: A word of this length may hold two mistakes.
_LONG = 9
#: Numbers and hashes have a row of their own when so many documents hold them.
_MANY = 20
#: Of words that are written without anything between them, so many are told apart, each of so many letters.
_PIECES = 5
_PIECE_LENGTHS = range(3, 21)
#: Marks the ends of a word, so that its first and last letters count as much as the others.
_END = "^"


class Near(NamedTuple):
    """Words of the index that may have been meant, and how they come from what was typed."""

    words: tuple[str, ...]
    by: str


def _spelled(word: str) -> bool:
    """Whether `word` is one that a person may type in part or with a mistake: no number, no hash."""
    if not (_SHORTEST if word.isascii() else 2) <= len(word) <= _LONGEST:
        return False
    return word.isalpha() or (not word.isdigit() and 3 * sum(map(str.isdigit, word)) <= len(word))


def _kept(word: str, docs: int) -> bool:
    """Whether a word has a row of its own. Of numbers and hashes there are very many, most in a single document."""
    return docs >= _MANY or _spelled(word) or made_up(word)


def count_words(db: sqlite3.Connection, changes: Mapping[str, int]) -> None:
    """Take in by how many documents more (or fewer) hold each word; the full text is up to date already."""
    for word, change in changes.items():
        row = db.execute("SELECT number, docs FROM word WHERE word = ?", (word,)).fetchone()
        docs = max(row[1] + change, 0) if row else change if _kept(word, 0) else _counted(db, word)
        if row and _kept(word, docs):
            db.execute("UPDATE word SET docs = ? WHERE number = ?", (docs, row[0]))
        elif row:
            db.execute("DELETE FROM word WHERE number = ?", row[:1])
        elif docs > 0 and _kept(word, docs):
            number = db.execute("INSERT INTO word (word, docs) VALUES (?, ?)", (word, docs)).lastrowid
            _write_grams(db, [(number, word)])


def count_all_words(db: sqlite3.Connection) -> None:
    """Count all words of all documents anew."""
    rare = [(word,) for (word,) in db.execute("SELECT word FROM word") if not _kept(word, 0)]
    db.executemany("DELETE FROM word WHERE word = ?", rare)
    (last,) = db.execute("SELECT coalesce(max(number), 0) FROM word").fetchone()
    db.execute("UPDATE word SET docs = 0")
    # Most words are numbers that few documents hold.
    query = "SELECT term, doc FROM doc_word WHERE doc >= ? OR term GLOB '*[^0-9]*'"
    kept = [row for row in db.execute(query, (_MANY,)) if _kept(*row)]
    put = "INSERT INTO word (word, docs) VALUES (?, ?) ON CONFLICT (word) DO UPDATE SET docs = excluded.docs"
    db.executemany(put, kept)
    _write_grams(db, db.execute("SELECT number, word FROM word WHERE number > ?", (last,)).fetchall())


def documents_with(db: sqlite3.Connection, words: Iterable[str]) -> dict[str, int]:
    """How many documents hold each of these words; those that none holds are left out."""
    wanted = list(dict.fromkeys(words))
    found = dict(rows_in(db, "SELECT word, docs FROM word WHERE docs > 0 AND word IN ({})", wanted))
    for word in wanted:
        if word not in found and not _kept(word, 0) and (docs := _counted(db, word)):
            found[word] = docs
    return found


def _counted(db: sqlite3.Connection, word: str) -> int:
    """How many documents hold a word, by their list: quick for words that few hold."""
    row = db.execute("SELECT doc FROM doc_word WHERE term = ?", (word,)).fetchone()
    return int(row[0]) if row else 0


def _write_grams(db: sqlite3.Connection, words: Iterable[tuple[int | None, str]]) -> None:
    rows = ((number, f"{_END}{word}{_END}") for number, word in words if _spelled(word) and not made_up(word))
    db.executemany("INSERT INTO word_gram (rowid, word) VALUES (?, ?)", rows)


class Vocabulary:
    """The words in an open index."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def near(self, typed: str, *, cut_off: bool = False) -> Near | None:
        """The words that hold `typed`, else those that differ from it by a mistake or two, else those it is made of.

        None when there are none of these. The words that it is made of come as one, with spaces between them.
        `cut_off` tells that more of an identifier follows, so that `typed` may be the end of a word.
        """
        if cut_off and (ending := tuple(word for word in self.holding(typed) if word.endswith(typed))):
            return Near(ending, "part")
        if len(typed) < _SHORTEST and typed.isascii():
            return None
        if holding := self.holding(typed):
            return Near(holding, "part")
        if words := self.mistyped(typed):
            return Near(words, "mistake")
        pieces = self.joined(typed)
        return Near((" ".join(pieces),), "joined") if pieces else None

    def beginning(self, start: str) -> tuple[str, ...]:
        """Words that begin with `start`, the most frequent first."""
        query = "SELECT word, docs FROM word WHERE word >= ? AND word < ? LIMIT ?"
        within = (start, start + "\U0010ffff", _BEGUN)
        rows = self._db.execute(query, within).fetchall()
        if not start.isalpha():
            # It may begin a word that has no row.
            rows += self._db.execute("SELECT term, doc FROM doc_word WHERE term >= ? AND term < ? LIMIT ?", within)
        counts = {word: docs for word, docs in rows if docs and not made_up(word)}
        return tuple(sorted(counts, key=lambda word: (-counts[word], word))[:_BEGINNINGS])

    def holding(self, part: str) -> tuple[str, ...]:
        """Words that hold `part`, the most frequent first."""
        if len(part) < 3:
            return ()
        grams = " AND ".join(map(_quoted, _grams(part)))
        rows = self._db.execute(
            "SELECT word FROM word WHERE number IN (SELECT rowid FROM word_gram WHERE word_gram MATCH ? LIMIT ?)",
            (grams, 4 * _COMPARED),
        )
        return self._frequent([word for (word,) in rows if part in word])

    def mistyped(self, typed: str) -> tuple[str, ...]:
        """Words that differ from `typed` by the fewest edits, one or two, the most frequent first."""
        most = 2 if len(typed) >= _LONG else 1
        found: dict[int, list[str]] = {}
        for word in self._alike(typed):
            if abs(len(word) - len(typed)) <= most and (away := edits(typed, word)) <= most:
                found.setdefault(away, []).append(word)
        return self._frequent(found[min(found)]) if found else ()

    def joined(self, typed: str) -> tuple[str, ...]:
        """The fewest words that `typed` is when they are written without anything between them; () when it is none."""
        if not 2 * _PIECE_LENGTHS[0] <= len(typed) <= _LONGEST:
            return ()
        ends = range(_PIECE_LENGTHS[0], len(typed) + 1)
        pieces = sorted({typed[end - size : end] for end in ends for size in _PIECE_LENGTHS if size <= end})
        rows = rows_in(self._db, "SELECT word FROM word WHERE docs > 0 AND word IN ({})", pieces)
        known = {word for (word,) in rows}
        best: dict[int, tuple[str, ...]] = {0: ()}
        for end in ends:
            ways = [(*best[end - size], typed[end - size : end]) for size in _PIECE_LENGTHS if end - size in best]
            ways = [way for way in ways if way[-1] in known]
            if ways:
                best[end] = min(ways, key=len)
        found = best.get(len(typed), ())
        return found if 1 < len(found) <= _PIECES else ()

    def _alike(self, typed: str) -> list[str]:
        """The words that share most runs of three characters with `typed`."""
        grams = _grams(f"{_END}{typed}{_END}")
        rows = rows_in(self._db, "SELECT term, doc FROM gram WHERE term IN ({})", grams)
        spent = 0
        shared: dict[int, int] = {}
        for gram, frequency in sorted(rows, key=lambda row: (row[1], row[0])):
            spent += frequency
            if shared and spent > _BUDGET:
                break
            numbers = self._db.execute(
                "SELECT rowid FROM word_gram WHERE word_gram MATCH ? LIMIT ?", (_quoted(gram), _BUDGET)
            )
            for (number,) in numbers:
                shared[number] = shared.get(number, 0) + 1
        best = sorted(shared, key=lambda number: (-shared[number], number))[:_COMPARED]
        return [word for (word,) in rows_in(self._db, "SELECT word FROM word WHERE number IN ({})", best)]

    def _frequent(self, words: list[str]) -> tuple[str, ...]:
        counts = dict(rows_in(self._db, "SELECT word, docs FROM word WHERE docs > 0 AND word IN ({})", words))
        return tuple(sorted(counts, key=lambda word: (-counts[word], word))[:_OFFERED])


def edits(one: str, other: str) -> int:
    """How many letters to insert, delete, replace or swap with their neighbour turn `one` into `other`.

    The restricted Damerau-Levenshtein distance (R. A. Wagner and R. Lowrance, 1975).
    """
    before: list[int] = []
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        current = [row]
        for column, wanted in enumerate(other, 1):
            cost = min(above[column] + 1, current[-1] + 1, above[column - 1] + (letter != wanted))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, above = above, current
    return above[-1]


def _grams(text: str) -> list[str]:
    return list(dict.fromkeys(text[at : at + 3] for at in range(len(text) - 2)))


def _quoted(gram: str) -> str:
    return '"' + gram.replace('"', '""') + '"'
