"""Filling an empty index: all records are read first, then each signature, fix and session is derived once.

Which sessions a signature depends on is known only when all have been read, and the facts of very many do not fit into
memory. So they wait in a file (kb.index.spool), and are derived in units (kb.index.plan) that need nothing of each
other: in several processes where there are many.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path, PurePath

from kb.collecting import collecting_at
from kb.index.card import say_card
from kb.index.deriving import Derived, Rows, derive, rows
from kb.index.facts import PUT_FACTS, written
from kb.index.newest import Components
from kb.index.plan import Plan, Unit
from kb.index.press import common_of, learn, press_of
from kb.index.signatures import Signatures
from kb.index.spool import Spool
from kb.index.texts import PUT, PUT_TEXT
from kb.index.update import PUT_FILE, Links, Record, file_row, links_of, write_links
from kb.index.vocabulary import count_all_words
from kb.workers import done

#: How many objects are made between two searches for cycles, of which there are none, and how often older ones are
#: looked at: the default took a tenth of the time.
_SELDOM = (300_000, 20, 50)


def fill(
    db: sqlite3.Connection, records: Iterable[Record], progress: Callable[[int, int, str], None] | None = None
) -> None:
    """Put `records` into the index, which is empty.

    `progress` is told from how many of them all else is derived, of how many, and that this is done.
    """
    (_, _, path) = db.execute("PRAGMA database_list").fetchone()
    with collecting_at(*_SELDOM), closing(Spool(Path(path))) as spool:
        whole = _Whole(db, spool, progress)
        whole.read(records)
        whole.derive()


class _Whole:
    """An index that is being filled."""

    def __init__(self, db: sqlite3.Connection, spool: Spool, progress: Callable[[int, int, str], None] | None) -> None:
        self._db = db
        self._spool = spool
        self._progress = progress
        self._derived = 0
        self._signatures = Signatures(db, fresh=True)
        self._counting: dict[str, tuple[int, str]] = {}
        self._links: dict[int, tuple[tuple[str, str], Links]] = {}
        self._twins: list[int] = []

    def read(self, records: Iterable[Record]) -> None:
        """Take all records in, and note what each names."""
        files: list[tuple[object, ...]] = []
        for number, record in enumerate(records, 1):
            files.append(file_row(record))
            if record.facts is not None:
                self._spool.put(number, record.facts)
                self._links[number] = ((record.facts.started, record.facts.id), links_of(record.facts))
                self._choose(record.facts.id, number, record.path)
        self._spool.written()
        counting = {number for number, _ in self._counting.values()}
        self._db.executemany(PUT_FILE, ((*row, at in counting, at) for at, row in enumerate(files, 1)))

    def _choose(self, session: str, number: int, path: str) -> None:
        """Let one record of each session count: the one that is named after it, else the first."""
        held = self._counting.get(session)
        if held is None or _rank(session, path) < _rank(session, held[1]):
            self._counting[session] = (number, path)
            twin = held[0] if held is not None else None
        else:
            twin = number
        if twin is not None:
            del self._links[twin]
            self._twins.append(twin)

    def derive(self) -> None:
        """Fill all other tables."""
        units = self._planned()
        if units:
            self._put(units[0], self._first(derive(units[0], self._spool)))
            press, common = press_of(self._db), common_of(self._db)
            results = done(units[1:], lambda unit: rows(derive(unit, self._spool), press, common))
            with closing(results):
                for unit, made in zip(units[1:], results, strict=True):
                    self._put(unit, made)
            twins = ((file, press.pack(written(self._spool.said(file), {}))) for file in self._twins)
            self._db.executemany(PUT_FACTS, twins)
        self._signatures.flush()
        count_all_words(self._db)

    def _planned(self) -> list[Unit]:
        """Write what sessions name, and give what is to be derived."""
        plan = Plan()
        components = Components()
        seen: list[tuple[int, int]] = []
        made: list[tuple[str, int, bool]] = []
        for file, (began, links) in self._links.items():
            plan.add(file, began, links.signatures, tuple(links.fixes.items()))
            seen += ((self._signatures.number_of(key), file) for key in links.signatures)
            made += links.made(file)
            components.note(links.components, 1)
        self._links.clear()
        write_links(self._db, sorted(seen), sorted(made))
        components.write(self._db)
        return plan.units()

    def _first(self, derived: Derived) -> Rows:
        """What the first unit gives; it shows what all have in common."""
        learn(self._db, "facts", [data for _, data in derived.facts])
        learn(
            self._db,
            "cards",
            [say_card(card).encode("utf-8", "surrogatepass") for cards in derived.cards for card in cards],
        )
        return rows(derived, press_of(self._db), common_of(self._db))

    def _put(self, unit: Unit, made: Rows) -> None:
        for (key, _), cards in zip(unit.signatures, made.cards, strict=True):
            for at, row in enumerate(cards):
                self._signatures.put(self._signatures.number_of(row.key if at else key), row)
        self._db.executemany(PUT, made.docs)
        self._db.executemany(PUT_TEXT, made.full)
        self._db.executemany(PUT_FACTS, made.facts)
        self._derived += len(unit.files)
        if self._progress is not None:
            self._progress(self._derived, len(self._counting), "deriving from records")


def _rank(session: str, path: str) -> tuple[bool, str]:
    return PurePath(path).stem != session, path
