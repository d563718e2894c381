"""Reading the index: signatures by id, template, pattern and words, and all knowledge. Standard library only."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Container, Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from kb.errors import InputError, Location, StoreError
from kb.home import Home
from kb.index.card import Card, load_card
from kb.index.files import listing, read_hashed
from kb.index.pieces import line_words, unpack
from kb.index.schema import SCHEMA, algorithm

if TYPE_CHECKING:
    from kb.knowledge.model import Knowledge, SessionFacts, SignatureKnowledge

#: A pattern is tried on this many characters of a line at most.
LONGEST_LINE = 4000
#: Postings read for one look-up by words, the rarest words first: common words find nothing that these do not.
_BUDGET = 5000
_AT_ONCE = 500


def open_store(home: Home) -> Store:
    """The index of `home`, for reading. Raises StoreError when it is missing, broken or of another version of kb."""
    location = Location(str(home.index))
    hint = "run `kb index` to build it"
    if not home.index.is_file():
        raise StoreError("there is no index", location=location, hint=hint)
    try:
        # The file is never changed in place, only replaced: so no locks are needed, and a read-only folder will do.
        name = f"{home.index.resolve().as_uri()}?mode=ro&immutable=1"
        db = sqlite3.connect(name, uri=True, check_same_thread=False)
        meta = dict(db.execute("SELECT key, value FROM meta"))
    except sqlite3.Error as error:
        raise StoreError(f"the index cannot be read: {error}", location=location, hint=hint) from error
    if (meta.get("schema"), meta.get("algorithm")) != (str(SCHEMA), algorithm()):
        db.close()
        raise StoreError("the index was made by another version of kb", location=location, hint=hint)
    return Store(home, db)


class Store:
    """An open index. It shows one state: what is indexed after it was opened is not seen."""

    def __init__(self, home: Home, db: sqlite3.Connection) -> None:
        self.home = home
        self.db = db
        self._unfiled: tuple[int, ...] | None = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the store cannot be used after that."""
        self.db.close()

    def lookup_id(self, signature_id: str) -> Card | None:
        """The signature of this id."""
        row = self.db.execute("SELECT card FROM signature WHERE id = ?", (signature_id,)).fetchone()
        return load_card(row[0]) if row else None

    def lookup_template(self, type_: str, template: str) -> tuple[Card, ...]:
        """The signatures of this type whose message has this template, by id; their frames may differ."""
        rows = self.db.execute(
            "SELECT card FROM signature WHERE template = ? AND type = ? ORDER BY id LIMIT 50", (template, type_)
        )
        return tuple(load_card(card) for (card,) in rows)

    def lookup_pattern(self, line: str, known: Container[str] = ()) -> tuple[Card, ...]:
        """The signatures, other than those `known`, whose own pattern matches `line`, by id.

        `line` is without prefixes and colours.
        """
        line = line[:LONGEST_LINE]
        numbers = self._filed_under(line_words(line))
        rows = self._in("SELECT id, card, anchor, pattern FROM signature WHERE number IN ({})", numbers)
        found = {
            key: card
            for key, card, anchor, pattern in rows
            if anchor in line and key not in known and holds(pattern, line)
        }
        return tuple(load_card(found[key]) for key in sorted(found))

    def candidates(self, words: Iterable[str], limit: int = 20) -> tuple[tuple[Card, float], ...]:
        """The signatures that share most with `words`, by the weight (sum of IDF) of what they share, best first."""
        total = self.count()
        rows = self._in("SELECT word, df FROM posting WHERE word IN ({})", list(dict.fromkeys(words)))
        spent = 0
        scores: dict[int, float] = {}
        for word, frequency in sorted(rows, key=lambda row: (row[1], row[0])):
            spent += frequency
            if scores and spent > _BUDGET:
                break
            (numbers,) = self.db.execute("SELECT numbers FROM posting WHERE word = ?", (word,)).fetchone()
            weight = idf(total, frequency)
            for number in unpack(numbers):
                scores[number] = scores.get(number, 0.0) + weight
        best = sorted(scores, key=lambda number: (-scores[number], number))[:limit]
        return tuple(zip(self._cards(best), (scores[number] for number in best), strict=True))

    def weights(self, words: Iterable[str]) -> dict[str, float]:
        """The IDF of each word; one that no signature holds weighs the most."""
        distinct = list(dict.fromkeys(words))
        total = self.count()
        known = dict(self._in("SELECT word, df FROM posting WHERE word IN ({})", distinct))
        return {word: idf(total, known.get(word, 0)) for word in distinct}

    def count(self) -> int:
        """How many signatures there are."""
        (number,) = self.db.execute("SELECT count(*) FROM signature").fetchone()
        return int(number)

    def session(self, session_id: str) -> SessionFacts | None:
        """The facts of one session."""
        row = self.db.execute(
            "SELECT facts FROM file WHERE session = ? AND facts IS NOT NULL ORDER BY path LIMIT 1", (session_id,)
        ).fetchone()
        return _facts(row[0]) if row else None

    def signature(self, signature_id: str) -> SignatureKnowledge | None:
        """All that is known of one signature, read from the sessions that it occurs in."""
        rows = self.db.execute("SELECT session FROM seen WHERE signature = ?", (signature_id,)).fetchall()
        facts = (self.session(session) for (session,) in rows)
        from kb.knowledge.gather import gather  # not needed for triage, whose start-up counts

        return gather((one for one in facts if one), only={signature_id}).signatures.get(signature_id)

    def knowledge(self) -> Knowledge:
        """All knowledge."""
        from kb.knowledge.gather import gather  # not needed for triage, whose start-up counts

        return gather(self._all_facts())

    def names(self, start: str) -> tuple[tuple[str, str], ...]:
        """(kind, name) of the signatures, fixes and sessions whose id or slug begins with `start`."""
        rows = self.db.execute(
            "SELECT kind, name FROM doc WHERE name >= ? AND name < ? ORDER BY name", (start, start + "\U0010ffff")
        )
        return tuple(rows.fetchall())

    def stale(self) -> bool:
        """Whether the session records are others than those that were indexed."""
        now = listing(self.home)
        for path, size, mtime, sha256 in self.db.execute("SELECT path, size, mtime, sha256 FROM file"):
            stat = now.pop(path, None)
            if stat is None or stat.size != size:
                return True
            # A file that was only touched (a fresh checkout) still says the same.
            if stat.mtime != mtime and self._hash(path) != sha256:
                return True
        return bool(now)

    def _hash(self, path: str) -> str:
        try:
            return read_hashed(self.home, path)[1]
        except InputError:
            return ""

    def _all_facts(self) -> Iterator[SessionFacts]:
        seen: set[str] = set()
        for session, facts in self.db.execute("SELECT session, facts FROM file WHERE facts IS NOT NULL ORDER BY path"):
            if session not in seen:
                seen.add(session)
                yield _facts(facts)

    def _filed_under(self, words: Iterable[str]) -> list[int]:
        """The signatures that one of `words` leads to, and those that no word leads to."""
        if self._unfiled is None:
            row = self.db.execute("SELECT numbers FROM anchor WHERE word = ''").fetchone()
            self._unfiled = tuple(unpack(row[0])) if row else ()
        rows = self._in("SELECT numbers FROM anchor WHERE word IN ({})", [word for word in words if word])
        return [*(number for (numbers,) in rows for number in unpack(numbers)), *self._unfiled]

    def _cards(self, numbers: Sequence[int]) -> list[Card]:
        """The cards of these signatures, in the same order."""
        found = dict(self._in("SELECT number, card FROM signature WHERE number IN ({})", numbers))
        return [load_card(found[number]) for number in numbers]

    def _in(self, query: str, values: Sequence[object]) -> Iterator[tuple[Any, ...]]:
        return rows_in(self.db, query, values)


def _facts(text: str) -> SessionFacts:
    from kb.knowledge.facts_json import load  # not needed for triage, whose start-up counts

    return load(text)


def holds(pattern: str, line: str, *, at: list[int] | None = None) -> bool:
    """Whether a signature's pattern matches in `line`, in time linear in its length; `at` is given the place.

    Patterns come from records, lines from logs: with a backtracking engine, the two together could hang kb.
    """
    import re2  # loaded when a pattern is tried for the first time

    match = re2.compile(pattern).search(line)
    if match and at is not None:
        at.append(match.start())
    return match is not None


def rows_in(db: sqlite3.Connection, query: str, values: Sequence[object]) -> Iterator[tuple[Any, ...]]:
    """The rows of `query`, whose one IN list (written `{}`) is `values`, in as many statements as that takes."""
    for start in range(0, len(values), _AT_ONCE):
        part = values[start : start + _AT_ONCE]
        yield from db.execute(query.format(", ".join("?" * len(part))), part)


def idf(total: int, frequency: int) -> float:
    """How much a word says that `frequency` of `total` texts hold (smoothed inverse document frequency)."""
    return math.log(1 + (total + 1) / (frequency + 1))
