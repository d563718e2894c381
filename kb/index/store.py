"""Reading the index: signatures by id, template, pattern and words, and all knowledge. Standard library only."""

from __future__ import annotations

import dataclasses
import json
import math
import sqlite3
from collections.abc import Container, Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from kb.errors import InputError, Location, StoreError
from kb.home import Home
from kb.index.alike import Alike
from kb.index.candidates import Word, candidates
from kb.index.card import Card, CardFix, alike_of, load_card, pattern_of
from kb.index.changes import differing
from kb.index.facets import KINDS
from kb.index.files import read_hashed
from kb.index.opening import HINT, open_to_read, unreadable
from kb.index.pieces import line_words
from kb.index.postings import frequencies, marks, numbers_of, rows_in, unpack
from kb.index.press import common_of
from kb.index.schema import algorithm, layout, said

if TYPE_CHECKING:
    from kb.failures.model import Failure
    from kb.index.press import Press
    from kb.knowledge.identity import Identity
    from kb.knowledge.model import Knowledge, SessionFacts, SignatureKnowledge
    from kb.signature.model import Signature

#: A pattern is tried on this many characters of a line at most.
LONGEST_LINE = 4000
#: Words of which is remembered how many signatures hold them, so that a log with many failures asks once.
_REMEMBERED = 20_000
_CURRENT = "coalesce((SELECT current FROM alias WHERE alias.id = :id), :id)"
_COLUMNS = "id, type, template, anchor, card"
_CARDS = f"SELECT {_COLUMNS} FROM known"  # noqa: S608
_BY_ID = f"{_CARDS} WHERE id = {_CURRENT}"
_TITLE = "SELECT title FROM doc WHERE kind = 0 AND name = ?"


def open_store(home: Home) -> Store:
    """The index of `home`, for reading. Raises StoreError when it is missing, broken or of another version of kb."""
    db = open_to_read(home.index)
    try:
        meta = dict(db.execute("SELECT key, value FROM meta"))
    except sqlite3.Error as error:
        db.close()
        raise unreadable(home.index, error) from error
    if (meta.get("schema"), meta.get("algorithm")) != (layout(), algorithm()):
        db.close()
        message = "the index was made by another version of kb"
        raise StoreError(message, location=Location(str(home.index)), hint=HINT)
    return Store(home, db)


class Store:
    """An open index. It shows one state: what is indexed after it was opened is not seen."""

    def __init__(self, home: Home, db: sqlite3.Connection) -> None:
        self.home = home
        self.db = db
        self._unfiled: tuple[int, ...] | None = None
        self._count: int | None = None
        self._held: dict[str, int] = {}
        self._press: Press | None = None
        self._common = common_of(db)
        self._identity: Identity | Literal[False] | None = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the store cannot be used after that."""
        self.db.close()

    def lookup_id(self, signature_id: str) -> Card | None:
        """The signature that goes by this id, or went by it before."""
        row = self.db.execute(_BY_ID, {"id": signature_id}).fetchone()
        return self._card(row) if row else None

    def fixes(self, signature_id: str) -> tuple[CardFix, ...]:
        """The fixes of the signature of this id, the best first."""
        row = self.db.execute(f"{_CARDS} WHERE id = ?", (signature_id,)).fetchone()
        return load_card(*row, common=self._common).fixes if row else ()

    def current(self, signature_id: str) -> str:
        """The id that a signature goes by, which may once have gone by this one."""
        row = self.db.execute("SELECT current FROM alias WHERE id = ?", (signature_id,)).fetchone()
        return str(row[0]) if row else signature_id

    def became(self, signature_id: str) -> tuple[str, ...]:
        """The ids that the failures of an old or merged id have now, the most frequent first; () for an id of now."""
        row = self.db.execute("SELECT current, others FROM alias WHERE id = ?", (signature_id,)).fetchone()
        return (row[0], *row[1].split()) if row else ()

    def settle(self, signature: Signature, failure: Failure) -> Signature:
        """`signature`, which the rules gave to `failure`, as people decided when the index was built."""
        if self._identity is None:
            meta = dict(self.db.execute("SELECT key, value FROM meta WHERE key IN ('decisions', 'aliases')"))
            said = meta.get("decisions")
            self._identity = _identity(said, meta.get("aliases") or "{}") if said else False
        return self._identity.settle(signature, failure) if self._identity else signature

    def lookup_template(self, type_: str, template: str) -> tuple[Card, ...]:
        """The signatures of this type whose message has this template, by id; their frames may differ."""
        query = f"{_CARDS} WHERE said = ? AND template = ? AND type = ? ORDER BY id LIMIT 50"
        return tuple(self._cards(query, (said(type_, template), template, type_)))

    def lookup_pattern(self, line: str, known: Container[str] = ()) -> tuple[Card, ...]:
        """The signatures, other than those `known`, whose own pattern matches `line`, by id.

        `line` is without prefixes and colours.
        """
        line = line[:LONGEST_LINE]
        filed = self._filed_under(line_words(line))
        rows = self._in("SELECT number, anchor FROM known WHERE number IN ({})", filed)
        numbers = [number for number, anchor in rows if anchor in line]
        rows = self._in("SELECT number, anchor, id, type, template, card FROM known WHERE number IN ({})", numbers)
        found = {
            key: number
            for number, anchor, key, type_, template, card in rows
            if key.partition("/")[0] not in known
            and holds(pattern_of(type_, template, anchor, card, common=self._common), line)
        }
        return tuple(self._numbered([found[key] for key in sorted(found)]))

    def candidates(
        self, words: Iterable[str], limit: int = 20, *, common: Iterable[str] = (), common_weight: float = 0.0
    ) -> tuple[Alike, ...]:
        """The signatures that share most with `words`, by the weight (sum of IDF) of what they share.

        Words in `common` count so much less, and only tell apart what other words lead to, if any do.
        """
        leads = dict.fromkeys(words, True)
        every = {**dict.fromkeys(common, False), **leads}
        total = self.count()
        known = self._frequencies(every)
        asked = [
            Word(word, known[word], idf(total, known[word]) * (1.0 if lead else common_weight), lead)
            for word, lead in every.items()
        ]
        best = candidates(self.db, asked, limit)
        rows = self._in(f"SELECT number, {_COLUMNS} FROM known WHERE number IN ({{}})", best)  # noqa: S608
        found = {number: alike_of(*row, common=self._common) for number, *row in rows}
        return tuple(found[number] for number in best)

    def weights(self, words: Iterable[str]) -> dict[str, float]:
        """The IDF of each word; one that no signature holds weighs the most."""
        total = self.count()
        return {word: idf(total, frequency) for word, frequency in self._frequencies(words).items()}

    def count(self) -> int:
        """How many signatures there are."""
        if self._count is None:
            (rows,) = self.db.execute("SELECT count(*) FROM signature").fetchone()
            (merged,) = self.db.execute("SELECT count(*) FROM signature WHERE instr(id, '/') > 0").fetchone()
            self._count = int(rows - merged)
        return self._count

    def session(self, session_id: str) -> SessionFacts | None:
        """The facts of one session."""
        row = self.db.execute(
            "SELECT facts FROM file JOIN facts ON file = number WHERE session = ? AND counts ORDER BY path LIMIT 1",
            (session_id,),
        ).fetchone()
        return self._facts(row[0]) if row else None

    def signature(self, signature_id: str) -> SignatureKnowledge | None:
        """All that is known of one signature, read from the sessions that it occurs in."""
        signature_id = self.current(signature_id)
        rows = self.db.execute(
            "SELECT facts FROM signature JOIN seen ON signature.number = signature JOIN facts USING (file) "
            "WHERE signature.id = ?",
            (signature_id,),
        )
        from kb.knowledge.gather import gather  # not needed for triage, whose start-up counts

        return gather((self._facts(row[0]) for row in rows), only={signature_id}).signatures.get(signature_id)

    def knowledge(self, without: Container[str] = ()) -> Knowledge:
        """All knowledge, as if the sessions `without` were not there."""
        from kb.knowledge.gather import gather  # not needed for triage, whose start-up counts

        aliases = dict(self.db.execute("SELECT id, current FROM alias ORDER BY id"))
        return dataclasses.replace(gather(one for one in self._all_facts() if one.id not in without), aliases=aliases)

    def sources(self) -> dict[str, tuple[str, str]]:
        """The record of each session that counts: its path below the root, and a digest of all that was derived from
        it: of its content, the decisions about its failures, and the code."""
        (made,) = self.db.execute("SELECT value FROM meta WHERE key = 'made_by'").fetchone()
        rows = self.db.execute("SELECT session, path, sha256, decided FROM file WHERE counts ORDER BY path")
        return {session: (path, f"{sha256.hex()} {decided} {made}") for session, path, sha256, decided in rows}

    def newest(self, limit: int = 3) -> tuple[tuple[str, str], ...]:
        """(id, title) of the signatures with the newest evidence, those with a fix that helped first."""
        query = "SELECT name, title FROM doc WHERE kind = 0 ORDER BY last DESC, proven DESC, seen DESC, name LIMIT ?"
        return tuple(self.db.execute(query, (limit,)))

    def names(self, start: str) -> tuple[tuple[str, str], ...]:
        """(kind, name) of the signatures, fixes and sessions whose id or slug begins with `start`.

        A signature is named by the ids that it went by before, too.
        """
        within = (start, start + "\U0010ffff")
        rows = self.db.execute("SELECT kind, name FROM doc WHERE name >= ? AND name < ? ORDER BY name", within)
        docs = [(KINDS[kind], name) for kind, name in rows]
        aliases = self.db.execute(
            "SELECT 'signature', id FROM alias WHERE id >= ? AND id < ? AND current IN (SELECT id FROM signature) "
            "ORDER BY id",
            within,
        )
        return (*docs, *aliases)

    def stale(self, besides: Container[str] = ()) -> bool:
        """Whether the session records, `besides` those of some paths, are others than those that were indexed."""
        now, gone = differing(self.home, self.db)
        if any(path not in besides for path in gone):
            return True
        query = "SELECT size, mtime, sha256 FROM file WHERE path = ?"
        for path, stat in now.items():
            if path in besides:
                continue
            row = self.db.execute(query, (path,)).fetchone()
            if row is None or stat.size != row[0]:
                return True
            # A file that was only touched (a fresh checkout) still says the same.
            if stat.mtime != row[1] and self._hash(path) != row[2]:
                return True
        return False

    def _hash(self, path: str) -> bytes:
        try:
            return read_hashed(self.home, path)[1]
        except InputError:
            return b""

    def _all_facts(self) -> Iterator[SessionFacts]:
        query = "SELECT facts FROM file JOIN facts ON file = number WHERE counts ORDER BY path"
        for (facts,) in self.db.execute(query):
            yield self._facts(facts)

    def _facts(self, blob: bytes) -> SessionFacts:
        from kb.index.facts import read  # not needed for triage, whose start-up counts
        from kb.index.press import press_of

        if self._press is None:
            self._press = press_of(self.db)
        return read(self._press.unpack(blob))

    def _filed_under(self, words: Iterable[str]) -> list[int]:
        """The signatures that one of `words` leads to, and those that no word leads to."""
        if self._unfiled is None:
            self._unfiled = tuple(numbers_of(self.db, "anchor", ""))
        rows = self._in("SELECT block, numbers FROM anchor WHERE word IN ({})", [word for word in words if word])
        return [*(number for block, blob in rows for number in unpack(block, blob)), *self._unfiled]

    def _numbered(self, numbers: Sequence[int]) -> list[Card]:
        """The cards of these signatures, in the same order."""
        ids = dict(self._in("SELECT number, id FROM signature WHERE number IN ({})", numbers))
        found = {card.key: card for card in self._cards(f"{_CARDS} WHERE number IN ({marks(numbers)})", numbers)}
        return [found[ids[number]] for number in numbers]

    def _cards(self, query: str, values: Sequence[object]) -> list[Card]:
        """The cards that `query` selects, with the titles of what comes next."""
        return [self._card(row) for row in self.db.execute(query, values)]

    def _card(self, row: Sequence[Any]) -> Card:
        card = load_card(*row, common=self._common)
        if not card.next:
            return card
        return card._replace(next=tuple([one._replace(title=self._title(one.id)) for one in card.next]))

    def _title(self, signature_id: str) -> str:
        row = self.db.execute(_TITLE, (signature_id,)).fetchone()
        return str(row[0]) if row else signature_id

    def _frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """How many signatures hold each of these words."""
        distinct = list(dict.fromkeys(words))
        if len(self._held) > _REMEMBERED:
            self._held.clear()
        asked = [word for word in distinct if word not in self._held]
        self._held.update(dict.fromkeys(asked, 0))
        self._held.update(frequencies(self.db, asked))
        return {word: self._held[word] for word in distinct}

    def _in(self, query: str, values: Sequence[object]) -> Iterator[tuple[Any, ...]]:
        return rows_in(self.db, query, values)


def _identity(text: str, aliases: str) -> Identity:
    from kb.knowledge.identity import Identity  # few knowledge bases hold decisions, and start-up counts
    from kb.record.decision import load_decisions

    return Identity(load_decisions(text), json.loads(aliases))


def holds(pattern: str, line: str, *, at: list[int] | None = None) -> bool:
    """Whether a signature's pattern matches in `line`, in time linear in its length; `at` is given the place.

    Patterns come from records, lines from logs: with a backtracking engine, the two together could hang kb.
    """
    import re2  # loaded when a pattern is tried for the first time

    match = re2.compile(pattern).search(line)
    if match and at is not None:
        at.append(match.start())
    return match is not None


def idf(total: int, frequency: int) -> float:
    """How much a word says that `frequency` of `total` texts hold (smoothed inverse document frequency)."""
    return math.log(1 + (total + 1) / (frequency + 1))
