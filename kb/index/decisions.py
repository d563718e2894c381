"""The decisions of a knowledge base when its index is built: what they say, and which sessions they concern."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from kb.errors import InputError, Location, Problem
from kb.home import Home
from kb.index.changes import UNREADABLE, Changes, proving
from kb.index.files import Stat, decisions, is_decision, read_hashed
from kb.index.opening import open_to_read
from kb.index.schema import algorithm
from kb.index.update import Record
from kb.knowledge.identity import Identity
from kb.record.decision import dump_decisions
from kb.record.former_ids import read_former


class Decided(NamedTuple):
    """What people decided, the row of each file that says so, and whether any of it is new to the index."""

    identity: Identity
    records: Mapping[str, Record]
    new: bool
    former: Mapping[str, tuple[str, ...]] = {}


def read_decided(home: Home, changes: Changes) -> Decided:
    """The decisions in the files of `home` that `changes` lists."""
    former = {old: now for old, now in read_former(home.decisions)[0].items() if not _left_again(old, now[0])}
    aliases = {old: now[0] for old, now in former.items()}
    found = decisions(home)
    paths = list(found)
    new = any(map(is_decision, (*changes.changed, *changes.removed)))
    if not paths:
        return Decided(Identity(aliases=aliases), {}, new, former)
    # Most knowledge bases need no reader of YAML for this.
    from kb.index.reading import without_secrets
    from kb.record.decision_file import read_decision

    problems: dict[str, tuple[Problem, ...]] = {}
    hashes: dict[str, bytes] = {}
    said = []
    for path in paths:
        try:
            data, hashes[path] = read_hashed(home, path)
        except InputError as error:
            hashes[path], problems[path] = UNREADABLE, (Problem(Location(path), "unreadable", error.message),)
        else:
            # A title stands on every page: what was written by hand is cleaned as it is read.
            data, secret = without_secrets(data, path) if home.redaction != "off" else (data, ())
            decision, problems[path] = read_decision(data, path)
            problems[path] += secret
            said += [decision] if decision is not None else []
    identity = Identity(said, aliases)
    for problem in identity.contradictions():
        problems[problem.location.path] += (problem,)
    stats = {path: proving(stat) for path, stat in found.items()}
    return Decided(
        identity, {path: Record(path, stats[path], hashes[path], None, problems[path]) for path in paths}, new, former
    )


def _left_again(old: str, now: str) -> bool:
    """Whether an id is of the version that signs now, and led to another one: the rules went there and came back."""
    return old.partition("-")[0] == algorithm() != now.partition("-")[0]


def concerned(index: Path, decided: Decided, changes: Changes) -> Changes:
    """`changes` with all that new decisions change: the sessions of their signatures, and each other's problems."""
    if not decided.new:
        return changes
    changed = dict.fromkeys((*changes.changed, *decided.records))
    removed = frozenset(changes.removed)
    stats = {path: record.stat for path, record in decided.records.items()}
    query = "SELECT path, size, mtime, signed, decided FROM file WHERE session IS NOT NULL"
    with closing(open_to_read(index)) as db:
        for path, size, mtime, signed, before in db.execute(query):
            if path not in removed and decided.identity.digest(signed.split()) != before:
                changed[path] = None
                stats[path] = Stat(size, mtime)
    return changes._replace(changed=tuple(changed), stats={**stats, **changes.stats})


def write_decided(db: sqlite3.Connection, decided: Decided) -> None:
    """Keep the decisions where triage finds them, and the ids that they merged into others."""
    said = dump_decisions(decided.identity.decisions) if decided.identity else ""
    db.execute("INSERT OR REPLACE INTO meta VALUES ('decisions', ?)", (said,))
    db.execute("DELETE FROM alias")
    identity = decided.identity
    rows = {
        old: (identity.current(old), " ".join(map(identity.current, now[1:]))) for old, now in decided.former.items()
    }
    rows |= {one: (kept, "") for one, kept in identity.merged().items()}
    db.executemany("INSERT INTO alias VALUES (?, ?, ?)", [(one, *row) for one, row in rows.items()])
    aliases = json.dumps({old: now[0] for old, now in decided.former.items()})
    db.execute("INSERT OR REPLACE INTO meta VALUES ('aliases', ?)", (aliases,))
