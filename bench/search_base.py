"""The knowledge base that searches are judged on, and the queries with their answers."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from kb.home import Home, read_home
from kb.index.build import build_index
from kb.index.store import Store, open_store
from kb.knowledge.model import Knowledge

HERE = Path(__file__).parent
_FENCE = "````"


class Asked(NamedTuple):
    """One query: how it is asked, its text, and what it asks for (see search_queries.txt)."""

    section: str
    text: str
    answers: tuple[str, ...]


def queries(path: Path = HERE / "search_queries.txt") -> Iterator[Asked]:
    """The queries with their answers."""
    section = ""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line and not line.startswith("#"):
            answers, _, text = line.partition(" | ")
            typed = text.replace("\\n", "\n").replace("\\t", "\t")
            yield Asked(section, typed, tuple(answer.strip() for answer in answers.split(",")))


def make_base(folder: Path) -> Home:
    """A knowledge base in `folder`: the sessions of this repository, and one for each recorded failure."""
    sessions = folder / "sessions"
    sessions.mkdir(parents=True)
    (folder / "kb.toml").write_text("")
    for record in (HERE.parent / "sessions").glob("*.md"):
        shutil.copy(record, sessions)
    failures = tomllib.loads((HERE / "search_failures.toml").read_text("utf-8"))["failure"]
    names: set[str] = set()
    begin = datetime(2026, 1, 5, 9, tzinfo=UTC)
    for number, one in enumerate(failures):
        started = begin + timedelta(days=2 * number, minutes=7 * number)
        names.add(_session_id(one, started))
        (sessions / f"{_session_id(one, started)}.md").write_text(_record(one, started), "utf-8")
    home = read_home(folder)
    built = build_index(home)
    wrong = [problem for problem in built.problems if (home.root / problem.location.path).stem in names]
    assert not wrong, wrong
    return home


def right_names(asked: Asked, knowledge: Knowledge) -> frozenset[tuple[str, str]]:
    """(kind, id) of every hit that answers."""
    return frozenset(name for answer in asked.answers for name in _names(answer, knowledge))


def open_base(home: Home) -> tuple[Store, Knowledge]:
    """Its index, and all that is in it."""
    store = open_store(home)
    return store, store.knowledge()


def _names(answer: str, knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    if answer.startswith("fix:"):
        yield "fix", answer.removeprefix("fix:")
        return
    name, _, words = answer.removeprefix("session:").partition("/")
    found = [session for session in knowledge.sessions.values() if session.id[11:] == name]
    assert len(found) == 1, f"{name} names {len(found)} sessions"
    if answer.startswith("session:"):
        yield "session", found[0].id
        return
    signatures = [
        one.signature for one in found[0].occurrences if (one.primary or words) and words in one.signature.title
    ]
    assert signatures, f"no failure in {name} has {words!r} in its title"
    yield from (("signature", signature.id) for signature in signatures)


def _session_id(one: Mapping[str, Any], started: datetime) -> str:
    return f"{started:%Y-%m-%d}-{one['name']}"


def _record(one: Mapping[str, Any], started: datetime) -> str:
    ended = started + timedelta(minutes=40)
    again = f"""
## Attempt 2: again

{_FENCE}console {{exit=0}}
$ {one["command"]}
{_FENCE}
"""
    return f"""\
---
kb: 1
id: {_session_id(one, started)}
title: {one["title"]}
started: {started:%Y-%m-%dT%H:%M:%SZ}
ended: {ended:%Y-%m-%dT%H:%M:%SZ}
resolution: {"fixed" if one["helped"] else "abandoned"}
components: {{{one["components"]}}}
tags: [{one["tags"]}]
---

## Attempt 1: run it

{_FENCE}console {{exit={one["exit"]}}}
$ {one["command"]}
{one["output"].strip()}
{_FENCE}

### Fix: {one["fix"]} {{kind={one["kind"]}}}

{one["fix_title"]}.
{again if one["helped"] else ""}"""
