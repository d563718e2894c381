"""Building the index from the session records: what changed is read, all else is kept.

The new index is written to a file of its own and moved into place, so that a reader sees the old one or the new one.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NamedTuple

from kb.errors import InputError, Location, Problem, StoreError
from kb.home import Home
from kb.index.files import Stat, listing, read_hashed
from kb.index.lock import build_lock
from kb.index.schema import SCHEMA, TABLES, algorithm, made_by
from kb.knowledge.model import SessionFacts

Progress = Callable[[int, int], None]

#: Stands for the hash of a record that cannot be read.
_UNREADABLE = ""


@dataclass(frozen=True, slots=True)
class Built:
    """How a build went: sessions in the index, records read anew, records gone, and what is wrong with records."""

    sessions: int
    changed: int
    removed: int = 0
    problems: tuple[Problem, ...] = ()


class _Row(NamedTuple):
    """A record as the index holds it: `facts` is JSON, or None when nothing could be read."""

    sha256: str
    session: str | None
    facts: str | None
    problems: tuple[Problem, ...]


def build_index(home: Home, *, progress: Progress | None = None) -> Built:
    """Bring the index of `home` up to date with its session records, and say what was done.

    A record that cannot be read is a problem of the result, and the rest is indexed. An index of another version, or a
    broken one, is built anew. `progress` is called with the number of records done and their total. Raises StoreError
    when the index cannot be written.
    """
    made = made_by()
    _, hashes = _hashed(home)
    old = _read_rows(home.index, made)
    if old is not None and _same(old, hashes):
        return _built(old, 0, 0)
    with build_lock(home.index):
        # Looked at again: while this builder waited, records may have changed and another one may have indexed them.
        files, hashes = _hashed(home)
        old = _read_rows(home.index, made)
        if old is not None and _same(old, hashes):
            return _built(old, 0, 0)
        kept = {path: row for path, row in (old or {}).items() if hashes.get(path) == row.sha256}
        read = _read_anew(home, [path for path in hashes if path not in kept], progress)
        rows = {path: kept.get(path) or read[path] for path in hashes}
        _write(home, rows, files, made)
    return _built(rows, len(read), len(set(old or {}) - set(rows)))


def _hashed(home: Home) -> tuple[dict[str, Stat], dict[str, str]]:
    files = listing(home)
    hashes: dict[str, str] = {}
    for path in files:
        try:
            hashes[path] = read_hashed(home, path)[1]
        except InputError:
            hashes[path] = _UNREADABLE
    return files, hashes


def _same(rows: Mapping[str, _Row], hashes: Mapping[str, str]) -> bool:
    return len(rows) == len(hashes) and all(
        path in rows and rows[path].sha256 == sha256 for path, sha256 in hashes.items()
    )


def _built(rows: Mapping[str, _Row], changed: int, removed: int) -> Built:
    twins = _twins(rows)
    problems = [problem for row in rows.values() for problem in row.problems]
    sessions = sum(row.session is not None for row in rows.values()) - len(twins)
    return Built(sessions, changed, removed, (*problems, *twins.values()))


def _read_rows(index: Path, made: str) -> dict[str, _Row] | None:
    """The records in the index, or None when there is no index that this code has made."""
    if not index.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{index.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            meta = dict(connection.execute("SELECT key, value FROM meta"))
            if meta.get("made_by") != made:
                return None
            rows = connection.execute("SELECT path, sha256, session, facts, problems FROM file ORDER BY path")
            return {path: _Row(sha, session, facts, _problems(text)) for path, sha, session, facts, text in rows}
    except (sqlite3.Error, ValueError, TypeError):
        return None


def _problems(text: str) -> tuple[Problem, ...]:
    return tuple(
        Problem(Location(path, line), code, message, hint) for path, line, code, message, hint in json.loads(text)
    )


def _read_anew(home: Home, paths: list[str], progress: Progress | None) -> dict[str, _Row]:
    # Imported now: an index that is up to date must not pay for the reader of records.
    from kb.index.reading import read_facts
    from kb.knowledge.facts_json import dump

    rows: dict[str, _Row] = {}
    for done, path in enumerate(paths, 1):
        try:
            data, sha256 = read_hashed(home, path)
        except InputError as error:
            rows[path] = _Row(_UNREADABLE, None, None, (Problem(Location(path), "unreadable", error.message),))
        else:
            facts, problems = read_facts(data, path)
            rows[path] = _Row(sha256, facts.id if facts else None, dump(facts) if facts else None, problems)
        if progress is not None:
            progress(done, len(paths))
    return rows


def _twins(rows: Mapping[str, _Row]) -> dict[str, Problem]:
    """The records whose id another one has by right, and what to say of them.

    The right to an id has the record whose file is named after it, else the first one.
    """
    first: dict[str, str] = {}
    twins: dict[str, Problem] = {}
    for path, row in sorted(rows.items(), key=lambda item: (PurePath(item[0]).stem != item[1].session, item[0])):
        if row.session is not None and first.setdefault(row.session, path) != path:
            twins[path] = Problem(
                Location(path),
                "duplicate-id",
                f"another record has the id {row.session}: {first[row.session]}",
                "an id names one session; this record is not indexed",
            )
    return twins


def _write(home: Home, rows: Mapping[str, _Row], files: Mapping[str, Stat], made: str) -> None:
    index = home.index
    temporary = index.with_name(f".{index.name}.{os.getpid()}.tmp")
    try:
        for left in index.parent.glob(f".{index.name}.*.tmp"):
            left.unlink()  # a build that was killed left it; the lock says that none is running
        with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
            _fill(connection, rows, files, made)
        with temporary.open("rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(temporary, index)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(
            f"the index cannot be written: {error}",
            location=Location(str(index)),
            hint="it can be deleted at any time; `kb index` makes it again",
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def _fill(connection: sqlite3.Connection, rows: Mapping[str, _Row], files: Mapping[str, Stat], made: str) -> None:
    from kb.index.rows import dump_problems, write_knowledge
    from kb.knowledge.facts_json import load
    from kb.knowledge.gather import gather

    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(TABLES)
    connection.execute("BEGIN")
    meta = {"schema": str(SCHEMA), "algorithm": algorithm(), "made_by": made}
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
    facts: list[SessionFacts] = []
    twins = _twins(rows)
    for path, row in rows.items():
        problems = dump_problems((*p.location, p.code, p.message, p.hint) for p in row.problems)
        values = (path, *files[path], row.sha256, row.session, row.facts, problems)
        connection.execute("INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        if row.facts is not None and path not in twins:
            facts.append(load(row.facts))
    write_knowledge(connection, gather(facts))
    connection.execute("COMMIT")
    connection.execute("ANALYZE")
