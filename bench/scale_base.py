"""Knowledge bases with very many signatures, made as parsed sessions: what `kb index` has once it has read the records.

A session has the size of the real ones of this repository: three signatures on average (the failure, what it led to,
what reported it), two to four attempts with their output, fixes with prose and a patch.
"""

from __future__ import annotations

import hashlib
import os
import random
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from generate import _NOUNS as NOUNS
from generate import _VERBS as VERBS
from scale_failures import Site, failure, sites

from kb.failures.model import Failure
from kb.home import Home
from kb.index.build import begin, finish
from kb.index.files import Stat
from kb.index.schema import made_by
from kb.index.update import Record
from kb.index.whole import fill as fill_index
from kb.index.writing import write_anew
from kb.knowledge.model import FixMade, Occurrence, SessionFacts, Try
from kb.signature.sign import sign

#: One of so many failures of a session is one that other sessions know as well.
_KNOWN = 7
#: Sessions that are made at once: asking for the time is not free.
_AT_ONCE = 200


class Spent(NamedTuple):
    """Seconds: of a clock on the wall, and of all processors, child processes included."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> Spent:
        """What was spent until now; of child processes, those that have ended."""
        times = os.times()
        return cls(times.elapsed, times.user + times.system + times.children_user + times.children_system)

    def since(self, begun: Spent, other: Spent) -> Spent:
        """What was spent from `begun` to this, without `other`."""
        return Spent(self.wall - begun.wall - other.wall, self.cpu - begun.cpu - other.cpu)


class Base(NamedTuple):
    """A knowledge base: the signature of each site in it, how many sessions it has, and what building it took."""

    home: Home
    ids: dict[str, Site]
    sessions: int
    spent: Spent


def make_base(folder: Path, signatures: int) -> Base:
    """The base with so many signatures, give or take those of one session, in `folder`; its records are only stubs.

    Some sites have the same signature, as far as the rules can tell: more are asked for, until there are enough.
    """
    (folder / "sessions").mkdir(parents=True)
    (folder / "kb.toml").write_text('name = "bench"\n')
    home = Home(folder)
    every = sites(signatures + signatures // 2)
    ids: dict[str, Site] = {}
    count, making = 0, Spent(0, 0)

    def records() -> Iterator[Record]:
        nonlocal count, making
        source = _sessions(every, ids, signatures)
        while True:
            begun = Spent.now()
            batch = [_record(home, facts) for facts in islice(source, _AT_ONCE)]
            now = Spent.now()
            making = Spent(making.wall + now.wall - begun.wall, making.cpu + now.cpu - begun.cpu)
            if not batch:
                return
            count += len(batch)
            yield from batch

    def fill(db: sqlite3.Connection) -> None:
        begin(db, made_by())
        fill_index(db, records())
        finish(db)

    (folder / ".kb").mkdir()
    begun = Spent.now()
    write_anew(home.index, fill)
    return Base(home, ids, count, Spent.now().since(begun, making))


def _record(home: Home, facts: SessionFacts) -> Record:
    path = home.root / facts.path
    data = f"a stub in the place of {facts.id}\n".encode()
    path.write_bytes(data)
    stat = path.stat()
    return Record(facts.path, Stat(stat.st_size, stat.st_mtime_ns), hashlib.sha256(data).digest(), facts, ())


def _sessions(sites: Sequence[Site], ids: dict[str, Site], signatures: int) -> Iterator[SessionFacts]:
    random_ = random.Random(7)
    at = number = 0
    while len(ids) < signatures:
        fresh = sites[at : at + random_.choice((2, 3, 3, 3, 4))]
        at += len(fresh)
        known = [sites[int(at * random_.random() ** 2)]] if random_.randrange(_KNOWN) == 0 and at < len(sites) else []
        number += 1
        yield session_facts([*fresh, *known], number, random_, ids)


def session_facts(
    sites: Sequence[Site], number: int, random_: random.Random, ids: dict[str, Site] | None = None
) -> SessionFacts:
    """A session in which these failures were met one after the other, each time with a fix."""
    begun = datetime(2021, 1, 1, tzinfo=UTC) + timedelta(minutes=41 * number)
    started = f"{begun:%Y-%m-%dT%H:%M:%SZ}"
    component = random_.choice(NOUNS)
    id_ = f"{begun:%Y-%m-%d}-{component}-{number:06d}"
    occurrences: list[Occurrence] = []
    fixes: list[FixMade] = []
    for attempt, site in enumerate(sites, 1):
        found = failure(site, random_)
        signature = sign(found)
        if ids is not None:
            ids.setdefault(signature.id, site)
        excerpt = _excerpt(found, component, random_)
        occurrences.append(Occurrence(signature, found, attempt, "root", True, excerpt, excerpt.count("\n")))
        fixes.append(_fix(attempt, random_))
    tries = [_try(occurrences, fixes, at) for at in range(len(fixes))]
    texts = [
        f"{random_.choice(VERBS)} the {random_.choice(NOUNS)} before the {random_.choice(NOUNS)}" for _ in range(14)
    ]
    return SessionFacts(
        id=id_, title=f"The {component} stops while it works on a {random_.choice(NOUNS)}", path=f"sessions/{id_}.md",
        started=started, ended=f"{begun + timedelta(hours=2):%Y-%m-%dT%H:%M:%SZ}", resolution="fixed",
        components={component: f"1.{random_.randrange(9)}.{random_.randrange(20)}", "python": "3.12.1"},
        environment={"os": "Debian 12"}, tags=(random_.choice(NOUNS), random_.choice(NOUNS)),
        summary=f"The {component} was updated in the night and did not come up again.",
        attempts=tuple(f"start the {component}" for _ in occurrences), occurrences=tuple(occurrences),
        fixes=tuple(fixes), tries=tuple(tries), attempt_seconds=tuple(30.0 for _ in occurrences),
        text="\n".join([f"python3 -m {component} --config prod.toml", *texts]),
    )  # fmt: skip


def _fix(attempt: int, random_: random.Random) -> FixMade:
    verb, noun, other = random_.choice(VERBS), random_.choice(NOUNS), random_.choice(NOUNS)
    patch = f"-    self.{verb}(value)\n+    self.{verb}(value or self.{noun})\n"
    return FixMade(
        f"{verb}-{noun}-before-{other}-{random_.randrange(40)}", "patch", f"{verb} the {noun} first", attempt,
        f"{noun}/{other}.py", "", f"Do {verb} the {noun} before anything asks for the {other}.", (("diff", patch),),
    )  # fmt: skip


def _try(occurrences: Sequence[Occurrence], fixes: Sequence[FixMade], at: int) -> Try:
    last = at + 1 == len(fixes)
    return Try(
        occurrences[at].signature.id, fixes[at].slug, at + 1, "fixed" if last else "progressed", "absent",
        f"attempt {at + 2} no longer shows it", (), "" if last else occurrences[at + 1].signature.id,
    )  # fmt: skip


def _excerpt(found: Failure, component: str, random_: random.Random) -> str:
    lines = [
        f"2024-05-0{random_.randrange(1, 9)} 08:{random_.randrange(10, 59)}:01 INFO [{component}] "
        f"{random_.choice(VERBS)} {random_.choice(NOUNS)} {random_.randrange(10**5)} ready"
        for _ in range(random_.randrange(2, 14))
    ]
    lines.append("Traceback (most recent call last):")
    for frame in found.frames:
        lines.append(f'  File "{frame.file}", line {frame.line}, in {frame.function}')
        lines.append(f"    return self.{frame.function}(value)")
    return "\n".join([*lines, found.text])
