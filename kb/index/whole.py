"""Filling an empty index: each record is read and derived while it is at hand, and what recurs again at the end.

Of very many signatures most occur in one session, or in some that follow each other. They are derived with the batch of
records in which they come first, without a look at what was stored. What comes once more in a later batch is derived
again when all records are there.
"""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from kb.index.press import MOST
from kb.index.rows import session_doc
from kb.index.update import BATCH, PUT_FILE, Links, Record, Update, file_row, links_of, write_links

#: How many objects are made between two searches for cycles, and how often older ones are looked at.
_SELDOM = (300_000, 20, 50)


def fill(db: sqlite3.Connection, records: Iterable[Record]) -> None:
    """Put `records` into the index, which is empty."""
    _Whole(db, fresh=True).run(records, ())


@contextmanager
def _few_collections() -> Iterator[None]:
    """What is made here goes without a search for cycles, of which there are none; that took a tenth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Whole(Update):
    """One update of an empty index."""

    def run(self, records: Iterable[Record], removed: Iterable[str]) -> None:
        """Fill all tables."""
        self._named: set[str] = set()
        self._seen: list[tuple[int, int]] = []
        self._made: list[tuple[str, int, bool]] = []
        self._fixes: set[str] = set()
        self._files: list[tuple[object, ...]] = []
        self._last_file = 0
        left = iter(records)
        with _few_collections():
            self._take(list(islice(left, MOST)))
            while batch := list(islice(left, BATCH)):
                self._take(batch)
            write_links(self._db, sorted(self._seen), sorted(self._made))
            self._texts.settle()
            self._derive_touched()

    def _take(self, batch: Sequence[Record]) -> None:
        """Take a batch of records in, and derive what is new in it."""
        old = self._signatures.last
        links = dict(found for record in batch if (found := self._added(record)))
        self._db.executemany(PUT_FILE, self._files)
        self._files.clear()
        numbers: dict[int, None] = {}
        fixes: dict[str, list[tuple[int, bool]]] = {}
        for file, one in links.items():
            mine = list(map(self._signatures.number_of, one.signatures))
            self._seen += ((number, file) for number in mine)
            self._made += one.made(file)
            self._components.note(one.components, 1)
            numbers.update(dict.fromkeys(mine))
            for fix, helped in one.fixes.items():
                fixes.setdefault(fix, []).append((file, helped))
        self._touched_signatures.update(dict.fromkeys(number for number in numbers if number <= old))
        self._touched_fixes.update(dict.fromkeys(fix for fix in fixes if fix in self._fixes))
        facts = self._shelf.get(links)
        self._derive_signatures([number for number in numbers if number > old], facts)
        for fix, rows in fixes.items():
            if fix not in self._fixes:
                rows.sort(key=lambda row: (facts[row[0]].started, facts[row[0]].id), reverse=True)
                self._derive_fix(fix, rows)
        self._fixes.update(fixes)
        for file, session in facts.items():
            self._texts.write(session_doc(session), file)
        self._texts.flush()
        if old == 0:
            self._shelf.learn()  # the first records show what all have in common
        self._shelf.flush(keep=0)

    def _added(self, record: Record) -> tuple[int, Links] | None:
        """The number of a file and what its session names; None when it counts for nothing, or not yet."""
        facts = record.facts
        first = facts is not None and facts.id not in self._named
        self._last_file += 1
        number = self._last_file
        self._files.append((*file_row(record), first, number))
        if facts is None:
            return None
        self._shelf.put(number, facts, new=True)
        if not first:
            self._sessions[facts.id] = None  # which of the records counts is chosen when all are there
            return None
        self._named.add(facts.id)
        return number, links_of(facts)
