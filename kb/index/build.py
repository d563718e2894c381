"""Building the index from the session records: what changed is read, and only what that changes is derived again."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kb.errors import InputError, Location, Problem, StoreError
from kb.home import Home
from kb.index.changes import TOO_YOUNG, UNREADABLE, Changes, compare, proved, proving
from kb.index.files import is_decision, read_hashed
from kb.index.lock import build_lock
from kb.index.opening import open_to_read
from kb.index.schema import INDEXES, TABLES, algorithm, layout, made_by
from kb.index.writing import BrokenIndexError, change, write_anew

if TYPE_CHECKING:
    from kb.index.decisions import Decided
    from kb.index.update import Record

#: Called with how many records are done, how many there are, and what is done with them.
Progress = Callable[[int, int, str], None]

#: So many changed records are written in place: more are worth a copy of the file.
_FEW = 50


@dataclass(frozen=True, slots=True)
class Built:
    """How a build went: sessions in the index, records read anew, records gone, and what is wrong with records."""

    sessions: int
    changed: int
    removed: int = 0
    problems: tuple[Problem, ...] = ()
    former: int = 0
    noted: tuple[str, ...] = ()


def build_index(home: Home, *, rebuild: bool = False, reindex: bool = False, progress: Progress | None = None) -> Built:
    """Bring the index of `home` up to date with its session records, and say what was done.

    A record that cannot be read is a problem of the result, and the rest is indexed. An index of another version, or a
    broken one, is built anew, as with `rebuild`. What the ids in an index of another version of the rules have become,
    with `reindex` of any version, is noted beside the decisions, so that they lead on for good. `progress` is told of
    the records that are read, and when the index is built anew, of those from which all else is derived.
    Raises StoreError when the index cannot be written.
    """
    made = made_by(home.decisions)
    rebuild = rebuild or reindex
    began = time.monotonic()
    before = _state(home.index)
    changes = None if rebuild else _changes(home, made)
    if changes is not None and not changes.any:
        return _unchanged(home, changes)
    with build_lock(home.index):
        former, noted = _note_former(home, again=reindex) if changes is None else (0, ())
        if noted:
            made = made_by(home.decisions)
        if _state(home.index) != before:
            # While this builder waited, another one has written: of the records as they are now, perhaps.
            changes = None if rebuild else _changes(home, made)
            if changes is not None and not changes.any:
                return _built(home.index, 0, 0)
        try:
            changes = _write(home, changes or compare(home, None), made if changes is None else "", progress)
        except BrokenIndexError:
            changes = _write(home, compare(home, None), made, progress)
    if time.monotonic() - began > TOO_YOUNG / 1e9:
        _prove(home, changes.changed)
    built = _built(home.index, _sessions(changes.changed), _sessions(changes.removed))
    return replace(built, former=former, noted=noted)


def _note_former(home: Home, *, again: bool) -> tuple[int, tuple[str, ...]]:
    """Note what the ids of the old index have become, while it is still there; how many, and in which files."""
    if not home.index.is_file():
        return 0, ()
    from kb.index.former import became
    from kb.record.former_ids import write_former

    found = became(home.index, any_version=again)
    try:
        return len(found), tuple(path.relative_to(home.root).as_posix() for path in write_former(home.decisions, found))
    except OSError as error:
        raise StoreError(
            f"what the old ids have become cannot be noted: {error.strerror}",
            location=Location(str(home.decisions)),
            hint="let the folder be written to, or delete the old index to give its ids up",
        ) from error


def _sessions(paths: Iterable[str]) -> int:
    return sum(not is_decision(path) for path in paths)


def _state(index: Path) -> tuple[int, ...]:
    """What differs when the file of the index was written in between."""
    try:
        stat = index.stat()
    except OSError:
        return ()
    return (stat.st_ino, stat.st_size, stat.st_mtime_ns)


def _unchanged(home: Home, changes: Changes) -> Built:
    """What to say when nothing changed. New times of files are kept, if they can be: the next look is faster then."""
    _take_times(home, changes)
    return _built(home.index, 0, 0)


def _prove(home: Home, paths: Iterable[str]) -> None:
    """Look once more at records that were too young when they were read: each later look would read them again."""
    with closing(open_to_read(home.index)) as db:
        changes = proved(home, db, paths)
    _take_times(home, changes)


def _take_times(home: Home, changes: Changes) -> None:
    if changes.touched:
        with suppress(StoreError), build_lock(home.index):
            change(home.index, lambda db: _touch(db, changes), few=True)


def _touch(db: sqlite3.Connection, changes: Changes) -> None:
    """Take over the times of files that say what they said: a later look need not read them."""
    rows = [(*changes.stats[path], path) for path in changes.touched]
    db.executemany("UPDATE file SET size = ?, mtime = ? WHERE path = ?", rows)


def _changes(home: Home, made: str) -> Changes | None:
    """What changed since the index was built, or None when there is no index that this code has made."""
    try:
        with closing(open_to_read(home.index)) as db:
            meta = dict(db.execute("SELECT key, value FROM meta"))
            if (meta.get("made_by"), meta.get("schema")) != (made, layout()):
                return None  # also when code that was being replaced, half old and half new, made it
            if db.execute("SELECT 1 FROM file LIMIT 1").fetchone() is None:
                found = compare(home, None)  # all there is, into an index that holds nothing: written as a whole
                return None if found.any else found
            return compare(home, db)
    except (StoreError, sqlite3.Error, ValueError, TypeError):
        return None


def _built(index: Path, changed: int, removed: int) -> Built:
    with closing(open_to_read(index)) as db:
        (sessions,) = db.execute("SELECT count(DISTINCT session) FROM file").fetchone()
        texts = db.execute("SELECT problems FROM file WHERE problems != '[]' ORDER BY path")
        problems = [problem for (text,) in texts for problem in _problems(text)]
        twins = db.execute(
            "SELECT twin.path, twin.session, first.path FROM file AS twin JOIN file AS first "
            "ON first.session = twin.session AND first.counts WHERE twin.session IS NOT NULL AND twin.counts = 0 "
            "ORDER BY twin.path"
        )
        return Built(sessions, changed, removed, (*problems, *(_twin(*row) for row in twins)))


def _problems(text: str) -> tuple[Problem, ...]:
    return tuple(
        Problem(Location(path, line), code, message, hint) for path, line, code, message, hint in json.loads(text)
    )


def _twin(path: str, session: str, first: str) -> Problem:
    return Problem(
        Location(path),
        "duplicate-id",
        f"another record has the id {session}: {first}",
        "an id names one session; this record is not indexed",
    )


def _write(home: Home, changes: Changes, made: str, progress: Progress | None) -> Changes:
    """Write the index: anew, when `made` says what makes it, else what changed; says what was read after all."""
    # Imported now: an index that is up to date must not pay for what derives knowledge.
    from kb.index.decisions import concerned, read_decided, write_decided
    from kb.index.update import update
    from kb.index.whole import fill as fill_anew

    decided = read_decided(home, changes)
    if not made:
        changes = concerned(home.index, decided, changes)
    records = _read_anew(home, changes, decided, progress)
    few = len(changes.changed) + len(changes.removed) <= _FEW
    if few:
        # The file is closed to readers while it is changed in place, so all reading is done before.
        records = iter(list(records))

    def fill(db: sqlite3.Connection) -> None:
        if made:
            begin(db, made)
        if made:
            fill_anew(db, records, progress)
        else:
            update(db, records, changes.removed)
        if made or decided.new:
            write_decided(db, decided)
        _touch(db, changes)
        if made:
            finish(db)

    if made:
        write_anew(home.index, fill)
    else:
        change(home.index, fill, few=few)
    return changes


def begin(db: sqlite3.Connection, made: str) -> None:
    """Make the tables of an index in an empty database; `made` says what makes it."""
    db.executescript(TABLES)  # ends the transaction
    db.execute("BEGIN")
    meta = {"schema": layout(), "algorithm": algorithm(), "made_by": made}
    db.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())


def finish(db: sqlite3.Connection) -> None:
    """Make what is quicker to make when the tables are full."""
    for statement in filter(str.strip, INDEXES.split(";")):
        db.execute(statement)
    # Without what was put in and taken out again while records recurred; it is a tenth of the full text.
    db.execute("INSERT INTO doc_text (doc_text) VALUES ('optimize')")
    db.execute("ANALYZE")


def _read_anew(home: Home, changes: Changes, decided: Decided, progress: Progress | None) -> Iterator[Record]:
    # Imported now: an index that is up to date must not pay for the reader of records.
    from kb.index.reading import read_facts
    from kb.index.update import Record

    for done, path in enumerate(changes.changed, 1):
        if path in decided.records:
            yield decided.records[path]
            continue
        stat = proving(changes.stats[path])
        try:
            data, sha256 = read_hashed(home, path)
        except InputError as error:
            problem = Problem(Location(path), "unreadable", error.message)
            yield Record(path, stat, UNREADABLE, None, (problem,))
        else:
            facts, problems = read_facts(data, path, decided.identity, secrets=home.redaction != "off")
            signed = {one.signature.signed or one.signature.id for one in facts.occurrences} if facts else ()
            yield Record(path, stat, sha256, facts, problems, decided.identity.digest(signed))
        if progress is not None:
            progress(done, len(changes.changed), "reading records")
