"""Bringing the tables of the index up to date with some records: only what these can have changed is derived again.

What is known of a signature depends on the sessions that it occurs in, and what is known of a fix on those that it was
made in. So a record that came, changed or went touches the signatures and the fixes that it names now or named before,
and nothing else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from kb.errors import Problem
from kb.index.card import make_cards
from kb.index.deriving import doc_of_fix
from kb.index.facts import Shelf
from kb.index.files import Stat
from kb.index.newest import Components
from kb.index.postings import rows_in
from kb.index.rows import dump_problems, session_doc, signature_doc, storable
from kb.index.signatures import Signatures
from kb.index.texts import Texts
from kb.knowledge.gather import gather
from kb.knowledge.model import SessionFacts

#: Sessions whose signatures and fixes are derived together.
BATCH = 200


class Record(NamedTuple):
    """A record as it was read: without facts when nothing could be read of it, and when it is a decision.

    `decided` is the hash of the decisions that were applied to its failures.
    """

    path: str
    stat: Stat
    sha256: bytes
    facts: SessionFacts | None
    problems: tuple[Problem, ...]
    decided: str = ""


class Links(NamedTuple):
    """What a session names: its signatures by id, its fixes, each with whether it ever helped, and its components."""

    signatures: tuple[str, ...]
    fixes: Mapping[str, bool]
    components: Mapping[str, str]

    def made(self, file: int) -> Iterator[tuple[str, int, bool]]:
        """The rows of the table of fixes made for the file of the session."""
        return ((fix, file, helped) for fix, helped in self.fixes.items())


class _Work(NamedTuple):
    """What is derived again in one go: the files of sessions, signatures by number, fixes."""

    files: tuple[int, ...]
    signatures: tuple[int, ...]
    fixes: tuple[str, ...]


def update(db: sqlite3.Connection, records: Iterable[Record], removed: Iterable[str]) -> None:
    """Put `records` into the index, take the paths `removed` out of it, and derive again what that changes."""
    _Update(db).run(records, removed)


class _Update:
    """One update; what it must derive again is collected while records are linked and unlinked."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._shelf = Shelf(db)
        self._signatures = Signatures(db)
        self._texts = Texts(db, self._shelf)
        self._components = Components()
        self._links: dict[int, Links] = {}
        self._sessions: dict[str, None] = {}
        self._touched_signatures: dict[int, None] = {}
        self._touched_fixes: dict[str, None] = {}

    def run(self, records: Iterable[Record], removed: Iterable[str]) -> None:
        """Update all tables."""
        for path in removed:
            self._forget(path)
            self._db.execute("DELETE FROM file WHERE path = ?", (path,))
        for record in records:
            self._forget(record.path)
            self._file(record)
        self._derive_touched()

    def _derive_touched(self) -> None:
        """Let one record count of each session that changed, and derive all that is touched."""
        counting = [file for session in self._sessions for file in self._choose(session)]
        for work in self._works(counting):
            self._derive(work)
        self._signatures.flush()
        self._texts.count()
        self._components.write(self._db)

    def _forget(self, path: str) -> None:
        """What the record of this path said so far no longer counts."""
        row = self._db.execute("SELECT number, session FROM file WHERE path = ?", (path,)).fetchone()
        if row and row[1] is not None:
            self._sessions[row[1]] = None
            self._unlink(row[0])
            self._shelf.forget(row[0])

    def _unlink(self, file: int) -> None:
        if self._db.execute("SELECT 1 FROM file WHERE number = ? AND counts", (file,)).fetchone() is None:
            return
        links = links_of(self._shelf.get([file])[file])
        self._components.note(links.components, -1)
        seen = [(self._signatures.number_of(key), file) for key in links.signatures]
        made = [(fix, file) for fix in links.fixes]
        self._db.executemany("DELETE FROM seen WHERE signature = ? AND file = ?", seen)
        self._db.executemany("DELETE FROM made WHERE fix = ? AND file = ?", made)
        self._touched_signatures.update(dict.fromkeys(number for number, _ in seen))
        self._touched_fixes.update(dict.fromkeys(fix for fix, _ in made))
        self._db.execute("UPDATE file SET counts = 0 WHERE number = ?", (file,))

    def _file(self, record: Record) -> None:
        facts = record.facts
        number = write_file(self._db, record)
        if facts is not None:
            self._sessions[facts.id] = None
            self._shelf.put(number, facts)
            self._links[number] = links_of(facts)

    def _choose(self, session: str) -> Iterator[int]:
        """Let one record of this session count: the one that is named after it, else the first; gives it when new."""
        rows = self._db.execute("SELECT number, path, counts FROM file WHERE session = ?", (session,)).fetchall()
        rows.sort(key=lambda row: (PurePath(row[1]).stem != session, row[1]))
        for number, _, counts in rows[1:]:
            if counts:
                self._unlink(number)
        if not rows:
            self._texts.remove("session", session)
        elif not rows[0][2]:
            self._link(rows[0][0])
            yield rows[0][0]

    def _link(self, file: int) -> None:
        links = self._links.get(file) or links_of(self._shelf.get([file])[file])
        self._links[file] = links
        numbers = [self._signatures.number_of(key) for key in links.signatures]
        write_links(self._db, ((number, file) for number in numbers), links.made(file))
        self._components.note(links.components, 1)
        self._db.execute("UPDATE file SET counts = 1 WHERE number = ?", (file,))
        self._touched_signatures.update(dict.fromkeys(numbers))
        self._touched_fixes.update(dict.fromkeys(links.fixes))

    def _works(self, files: list[int]) -> Iterator[_Work]:
        """All that was touched, cut so that what one session names is mostly derived in one go."""
        signatures, fixes = self._touched_signatures, self._touched_fixes
        for start in range(0, len(files), BATCH):
            batch = files[start : start + BATCH]
            keys = [key for file in batch for key in self._links[file].signatures]
            numbers = [
                number for number in dict.fromkeys(map(self._signatures.number_of, keys)) if number in signatures
            ]
            slugs = [slug for slug in dict.fromkeys(s for f in batch for s in self._links[f].fixes) if slug in fixes]
            for number in numbers:
                del signatures[number]
            for slug in slugs:
                del fixes[slug]
            yield _Work(tuple(batch), tuple(numbers), tuple(slugs))
        left = list(signatures)
        for start in range(0, len(left), BATCH):
            yield _Work((), tuple(left[start : start + BATCH]), ())
        slugs = list(fixes)
        for start in range(0, len(slugs), BATCH):
            yield _Work((), (), tuple(slugs[start : start + BATCH]))

    def _derive(self, work: _Work) -> None:
        seen = rows_in(self._db, "SELECT DISTINCT file FROM seen WHERE signature IN ({})", work.signatures)
        self._derive_signatures(work.signatures, self._shelf.get(file for (file,) in seen))
        for slug in work.fixes:
            rows = self._db.execute(
                "SELECT number, helped FROM made JOIN file ON number = file WHERE fix = ? "
                "ORDER BY started DESC, session DESC",
                (slug,),
            )
            self._derive_fix(slug, rows.fetchall())
        for file, facts in self._shelf.get(work.files).items():
            self._texts.write(session_doc(facts), file)
        self._signatures.flush()
        self._texts.flush()
        self._shelf.flush()

    def _derive_signatures(self, numbers: Sequence[int], facts: Mapping[int, SessionFacts]) -> None:
        """Write these signatures; `facts` are those of all files in which one of them occurs."""
        ids = self._signatures.ids_of(numbers)
        knowledge = gather(facts.values(), only=set(ids.values()), explained=False)
        files = {one.id: file for file, one in facts.items()}
        for number, key in ids.items():
            known = knowledge.signatures.get(key)
            if known is None:
                self._signatures.remove(number)
                self._signatures.write_merged(key, ())
                self._texts.remove("signature", key)
            else:
                card, *merged = make_cards(known, knowledge)
                self._signatures.write(number, card)
                self._signatures.write_merged(key, merged)
                self._texts.write(signature_doc(known, knowledge.sessions), files[known.sessions[-1]])

    def _derive_fix(self, slug: str, rows: Sequence[tuple[int, bool]]) -> None:
        """Write a fix, made in these files, the newest first, each with whether it helped there."""
        if not rows:
            self._texts.remove("fix", slug)
            return
        self._texts.write(doc_of_fix(slug, rows, self._shelf.without_failures), rows[0][0])


def write_file(db: sqlite3.Connection, record: Record) -> int:
    """Write what is noted of a record's file, which does not count yet when it is new, and give its number."""
    row = db.execute(
        f"{PUT_FILE} ON CONFLICT (path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, "
        "sha256 = excluded.sha256, session = excluded.session, started = excluded.started, "
        "problems = excluded.problems, signed = excluded.signed, decided = excluded.decided RETURNING number",
        (*file_row(record), False, None),
    ).fetchone()
    return int(row[0])


#: Puts in what `file_row` gives, whether the record counts, and its number (None: the next one).
PUT_FILE = (
    "INSERT INTO file (path, size, mtime, sha256, session, started, problems, signed, decided, counts, number) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def file_row(record: Record) -> tuple[object, ...]:
    """What is noted of a record's file."""
    facts = record.facts
    ids = {one.signature.signed or one.signature.id for one in facts.occurrences} if facts else ()
    problems = dump_problems((*p.location, p.code, p.message, p.hint) for p in record.problems)
    session, started = (facts.id, facts.started) if facts else (None, "")
    signed = " ".join(sorted(ids))
    return (record.path, *record.stat, record.sha256, session, started, problems, signed, record.decided)


def links_of(facts: SessionFacts) -> Links:
    """What a session names."""
    fixes = {storable(fix.slug): False for fix in facts.fixes}
    for tried in facts.tries:
        fix = storable(tried.fix)
        if fix in fixes and tried.outcome in ("fixed", "progressed"):
            fixes[fix] = True
    return Links(tuple(dict.fromkeys(one.signature.id for one in facts.occurrences)), fixes, facts.components)


def write_links(db: sqlite3.Connection, seen: Iterable[tuple[int, int]], made: Iterable[tuple[str, int, bool]]) -> None:
    """Note that signatures occur in files, and that fixes were made there."""
    db.executemany("INSERT INTO seen VALUES (?, ?)", seen)
    db.executemany("INSERT INTO made VALUES (?, ?, ?)", made)
