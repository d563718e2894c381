"""The facts of sessions as the index keeps them, and texts compressed beside them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from kb.index.postings import rows_in
from kb.index.press import Press, press_of
from kb.index.rows import session_facets
from kb.index.squeeze import squeeze, unsqueeze
from kb.knowledge.facts_json import dump, load
from kb.knowledge.model import SessionFacts

#: Facts kept at hand while an index is built: those of one session are needed for each of its signatures and fixes.
_KEPT = 2000


def written(facts: SessionFacts) -> bytes:
    """`facts` as they are stored: with the facets of the session, which other documents share, behind them."""
    return f"{dump(facts)}\0{session_facets(facts)}".encode("utf-8", "surrogatepass")


def read(data: bytes) -> SessionFacts:
    """What `written` gave. Raises ValueError, IndexError or TypeError for anything else."""
    return load(data.decode("utf-8", "surrogatepass"))


class Shelf:
    """The facts of the files of an index that is being built, the last used ones kept at hand."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._pressed: Press | None = None
        self._held: dict[int, SessionFacts] = {}
        self._texts: dict[int, bytes] = {}
        self._replaced: dict[int, bytes] = {}

    def put(self, file: int, facts: SessionFacts) -> None:
        """Store that the facts of this file are these."""
        text = written(facts)
        self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (file, self._press.pack(text)))
        self._keep(file, facts, text)

    def replace(self, file: int) -> None:
        """The facts of this file go; what lies beside them can still be read."""
        row = self._db.execute("DELETE FROM facts WHERE file = ? RETURNING facts", (file,)).fetchone()
        if row is not None:
            self._replaced.setdefault(file, row[0])
        self._held.pop(file, None)
        self._texts.pop(file, None)

    def one(self, file: int) -> SessionFacts:
        """The facts of this file."""
        return self._held.get(file) or self.get([file])[file]

    def get(self, files: Iterable[int]) -> dict[int, SessionFacts]:
        """The facts of these files."""
        wanted = list(dict.fromkeys(files))
        found = {file: self._held[file] for file in wanted if file in self._held}
        missing = [file for file in wanted if file not in found]
        texts = {}
        for file, blob in rows_in(self._db, "SELECT file, facts FROM facts WHERE file IN ({})", missing):
            texts[file] = self._press.unpack(blob)
            found[file] = read(texts[file])
        for file, facts in found.items():
            self._keep(file, facts, texts[file] if file in texts else self._texts[file])
        return found

    def pack(self, text: str, file: int) -> bytes:
        """`text`, which shares much with the facts of a file, to be stored beside them."""
        if file not in self._texts:
            self.get([file])
        return squeeze(text, beside=self._texts[file])

    def unpack_old(self, blob: bytes, file: int) -> str:
        """What `pack` gave before this build."""
        old = self._replaced.get(file)
        if old is None:
            (old,) = self._db.execute("SELECT facts FROM facts WHERE file = ?", (file,)).fetchone()
        return unsqueeze(blob, beside=self._press.unpack(old))

    @property
    def _press(self) -> Press:
        if self._pressed is None:
            self._pressed = press_of(self._db)
        return self._pressed

    def _keep(self, file: int, facts: SessionFacts, text: bytes) -> None:
        self._held.pop(file, None)
        self._held[file] = facts
        self._texts[file] = text
        while len(self._held) > _KEPT:
            oldest = next(iter(self._held))
            del self._held[oldest], self._texts[oldest]
