"""The facts of sessions as the index keeps them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from kb.index.postings import rows_in
from kb.index.squeeze import squeeze, unsqueeze
from kb.knowledge.facts_json import dump, load
from kb.knowledge.model import SessionFacts

#: Facts kept at hand while an index is built: those of one session are needed for each of its signatures and fixes.
_KEPT = 2000


def pack_facts(facts: SessionFacts) -> bytes:
    """`facts` as they are stored."""
    return squeeze(dump(facts))


def unpack_facts(blob: bytes) -> SessionFacts:
    """What `pack_facts` packed."""
    return load(unsqueeze(blob))


class Shelf:
    """The facts of the files of an index that is being built, the last used ones kept at hand."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._held: dict[int, SessionFacts] = {}

    def put(self, file: int, facts: SessionFacts) -> None:
        """The facts of this file are these."""
        self._held.pop(file, None)
        self._held[file] = facts
        while len(self._held) > _KEPT:
            del self._held[next(iter(self._held))]

    def get(self, files: Iterable[int]) -> dict[int, SessionFacts]:
        """The facts of these files."""
        wanted = list(dict.fromkeys(files))
        found = {file: self._held[file] for file in wanted if file in self._held}
        missing = [file for file in wanted if file not in found]
        for file, blob in rows_in(self._db, "SELECT number, facts FROM file WHERE number IN ({})", missing):
            found[file] = unpack_facts(blob)
        for file, facts in found.items():
            self.put(file, facts)
        return found
