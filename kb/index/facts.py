"""The facts of sessions as the index keeps them, and beside them the texts of documents, which repeat much of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from kb.index.postings import rows_in
from kb.index.press import Press, press_of
from kb.knowledge.facts_json import dump, load
from kb.knowledge.model import SessionFacts

#: What is kept at hand while an index is built: the facts of one session are needed for each of its signatures.
_KEPT = 500
#: Parts of what is said of a document (kb.index.texts), without NUL, which separates them.
_PARTS = 3
#: Stands for made-up words that are left out; no such word holds it.
_SAME = "="
PUT_FACTS = "INSERT OR REPLACE INTO facts VALUES (?, ?)"


def written(said: str, texts: Mapping[int, str], shared: str = "") -> bytes:
    """What `dump` said of a session and the texts of documents, as they are stored.

    `shared` are the made-up words that most of these documents end with: the facts tell them (`shared_facets`), so they
    are left out.
    """
    told = "\0".join(f"{number}\0{_shorter(text, shared)}" for number, text in texts.items())
    beside = told.encode("utf-8", "surrogatepass")
    return b"%d\n%b%b" % (len(beside), beside, said.encode("utf-8", "surrogatepass"))


def read(data: bytes) -> SessionFacts:
    """The facts in what `written` gave. Raises ValueError, IndexError or TypeError for anything else."""
    return load(_cut(data)[1])


def read_texts(data: bytes) -> dict[int, str]:
    """The texts in what `written` gave, without the words left out, by the numbers of their documents.

    Raises ValueError for anything else.
    """
    return _texts(_cut(data)[0])


def _shorter(text: str, shared: str) -> str:
    heads, facets, rest = text.split("\0", 2)
    return f"{heads}\0{facets[: -len(shared)]}{_SAME}\0{rest}" if shared and facets.endswith(f" {shared}") else text


def _longer(text: str, shared: str) -> str:
    heads, facets, rest = text.split("\0", 2)
    return f"{heads}\0{facets[: -len(_SAME)]}{shared}\0{rest}" if facets.endswith(f" {_SAME}") else text


def _texts(beside: str) -> dict[int, str]:
    parts = beside.split("\0") if beside else []
    step = _PARTS + 1
    return {int(parts[at]): "\0".join(parts[at + 1 : at + step]) for at in range(0, len(parts), step)}


def _cut(data: bytes) -> tuple[str, str]:
    start = data.index(b"\n") + 1
    end = start + int(data[:start])
    return data[start:end].decode("utf-8", "surrogatepass"), data[end:].decode("utf-8", "surrogatepass")


class _Kept:
    """What is stored of one file: its facts (read when asked for) and the texts beside them."""

    __slots__ = ("changed", "facts", "said", "texts")

    def __init__(self, said: str = "", texts: dict[int, str] | None = None) -> None:
        self.said = said
        self.texts = texts or {}
        self.facts: SessionFacts | None = None
        self.changed = False


class Shelf:
    """The facts of the files of an index that is being built, with the texts beside them; `flush` stores changes."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._pressed: Press | None = None
        self._held: dict[int, _Kept] = {}

    def put(self, file: int, facts: SessionFacts) -> None:
        """The facts of this file are these."""
        kept = self._kept(file)
        kept.facts, kept.said, kept.changed = facts, dump(facts), True
        self._held[file] = kept

    def forget(self, file: int) -> None:
        """The facts of this file go; the texts beside them stay until each is dropped."""
        kept = self._kept(file)
        kept.facts, kept.said, kept.changed = None, "", True

    def get(self, files: Iterable[int]) -> dict[int, SessionFacts]:
        """The facts of these files."""
        wanted = list(dict.fromkeys(files))
        self._load([file for file in wanted if file not in self._held])
        return {file: self.one(file) for file in wanted if file in self._held}

    def one(self, file: int) -> SessionFacts:
        """The facts of this file."""
        kept = self._kept(file)
        if kept.facts is None:
            kept.facts = load(kept.said)
        return kept.facts

    def without_failures(self, file: int) -> SessionFacts:
        """The facts of this file, where no more than its fixes and what they did is asked for."""
        kept = self._kept(file)
        return kept.facts or load(kept.said, seen=False)

    def text(self, number: int, file: int) -> str:
        """What is said of a document beside the facts of this file."""
        return self._kept(file).texts[number]

    def put_text(self, number: int, file: int, said: str) -> None:
        """Keep what is said of a document beside the facts of this file."""
        kept = self._held.get(file) or self._kept(file)
        if kept.texts.get(number) != said:
            kept.texts[number] = said
            kept.changed = True

    def drop_text(self, number: int, file: int) -> None:
        """What is said of a document is no longer beside the facts of this file."""
        kept = self._kept(file)
        kept.changed = kept.texts.pop(number, None) is not None or kept.changed

    def flush(self) -> None:
        """Store what changed; only some files stay at hand."""
        rows = []
        for file, kept in self._held.items():
            if kept.changed and not kept.said and not kept.texts:
                self._db.execute("DELETE FROM facts WHERE file = ?", (file,))
            elif kept.changed:
                rows.append((file, self._press.pack(written(kept.said, kept.texts, _shared(kept.said)))))
            kept.changed = False
        self._db.executemany(PUT_FACTS, rows)
        for file in list(self._held)[: max(len(self._held) - _KEPT, 0)]:
            del self._held[file]

    @property
    def _press(self) -> Press:
        if self._pressed is None:
            self._pressed = press_of(self._db)
        return self._pressed

    def _kept(self, file: int) -> _Kept:
        if file not in self._held:
            self._load([file])
        return self._held.setdefault(file, _Kept())

    def _load(self, files: list[int]) -> None:
        for file, blob in rows_in(self._db, "SELECT file, facts FROM facts WHERE file IN ({})", files):
            beside, said = _cut(self._press.unpack(blob))
            shared = _shared(said)
            texts = {number: _longer(text, shared) for number, text in _texts(beside).items()}
            self._held[file] = _Kept(said, texts)


def _shared(said: str) -> str:
    """The words that are left out beside these facts."""
    from kb.index.rows import shared_facets  # a search, which reads texts, needs none of this

    return shared_facets(load(said, seen=False)) if said else ""
