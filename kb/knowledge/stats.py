"""What a knowledge base holds, in numbers: computed from all knowledge, by the day on which it is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from statistics import median
from typing import TypeVar

from kb.knowledge.applies import components
from kb.knowledge.model import Knowledge, Outcome, RankedFix, Regression, SessionFacts, SignatureKnowledge
from kb.knowledge.staleness import LONG, retest
from kb.knowledge.versions import newest

T = TypeVar("T")

#: What a fix came to over all sessions, for one signature, in the order in which it is shown.
KINDS = ("fixed", "progressed", "failed", "unverified")


@dataclass(frozen=True, slots=True)
class Times:
    """How long `n` sessions took from their start to their end: the median, in seconds (0 when there are none)."""

    n: int
    median: float


@dataclass(frozen=True, slots=True)
class Old:
    """A fix whose evidence is worth a new test for a signature, and why."""

    signature: str
    title: str
    fix: str
    why: str


@dataclass(frozen=True, slots=True)
class Stats:
    """The numbers of a knowledge base.

    `signatures` counts by role those that an attempt ended in (root) and those seen only as symptoms. `fixes` counts
    the pairs of a signature and a fix by the best that the fix did there; `tries` counts each try. `open` are the
    signatures that attempts ended in and no fix ever helped, the most seen first; `open_sessions` the sessions without
    an end. `resolve` is the time to resolve, by resolution, and of all under "". `unseen` are signatures not seen for
    more than a year, the oldest first.
    """

    sessions: int
    resolutions: Mapping[str, int]
    first: str
    last: str
    signatures: Mapping[str, int]
    merged: int
    fixes: Mapping[str, int]
    tries: Mapping[Outcome, int]
    strengths: Mapping[str, int]
    chains: int
    regressions: tuple[tuple[str, Regression], ...]
    open: tuple[SignatureKnowledge, ...]
    open_sessions: tuple[SessionFacts, ...]
    resolve: Mapping[str, Times]
    most_seen: tuple[SignatureKnowledge, ...]
    retest: tuple[Old, ...]
    unseen: tuple[SignatureKnowledge, ...]
    components: tuple[tuple[str, int, str], ...]


def stats_of(knowledge: Knowledge, today: date) -> Stats:
    """The numbers of `knowledge`; what is old is so by `today`."""
    signatures = sorted(knowledge.signatures.values(), key=lambda one: one.signature.id)
    ended_in = sorted((one for one in signatures if _primary(one)), key=lambda one: -_seen(one))
    sessions = list(knowledge.sessions.values())
    pairs = [(one, fix) for one in signatures for fix in one.fixes]
    tries = [tried for session in sessions for tried in session.tries]
    used = _components(sessions)
    now = {name: version for name, _, version in used}
    return Stats(
        sessions=len(sessions),
        resolutions=_counted(session.resolution for session in sessions),
        first=min((session.started for session in sessions), default=""),
        last=max((session.started for session in sessions), default=""),
        signatures={"root": len(ended_in), "symptom": len(signatures) - len(ended_in)},
        merged=sum(len(one.merged) for one in signatures),
        fixes={kind: sum(_best(fix) == kind for _, fix in pairs) for kind in KINDS},
        tries=_counted(tried.outcome for tried in tries),
        strengths=_counted(tried.strength for tried in tries if tried.strength),
        chains=sum(len(one.next) for one in signatures),
        regressions=tuple((one.signature.id, back) for one in signatures for back in one.regressions),
        open=tuple(one for one in ended_in if not any(fix.fixed or fix.progressed for fix in one.fixes)),
        open_sessions=tuple(session for session in sessions if session.resolution == "open"),
        resolve=_times(sessions),
        most_seen=tuple(ended_in),
        retest=tuple(_old(pairs, now, today)),
        unseen=tuple(sorted((one for one in signatures if _unseen(one, today)), key=lambda one: one.last_seen)),
        components=used,
    )


def _primary(known: SignatureKnowledge) -> bool:
    return any(seen.primary for _, seen in known.occurrences)


def _seen(known: SignatureKnowledge) -> int:
    return len(known.sessions)


def _best(fix: RankedFix) -> str:
    return next((kind for kind in KINDS if getattr(fix, kind)), "unverified")


def _counted(values: Iterable[T]) -> Mapping[T, int]:
    return dict(Counter(values).most_common())


def _times(sessions: Iterable[SessionFacts]) -> Mapping[str, Times]:
    taken: dict[str, list[float]] = {"": []}
    for session in sessions:
        seconds = _seconds(session)
        if seconds is not None:
            taken[""].append(seconds)
            taken.setdefault(session.resolution, []).append(seconds)
    return {name: Times(len(each), median(each) if each else 0.0) for name, each in taken.items()}


def _seconds(session: SessionFacts) -> float | None:
    if not session.ended:
        return None
    return (datetime.fromisoformat(session.ended) - datetime.fromisoformat(session.started)).total_seconds()


def _old(pairs: Iterable[tuple[SignatureKnowledge, RankedFix]], now: Mapping[str, str], today: date) -> Iterator[Old]:
    for known, fix in pairs:
        if fix.fixed or fix.progressed or fix.failed:
            why = retest(fix.last, fix.versions, {}, today, components(fix.applies), now)
            if why:
                yield Old(known.signature.id, known.signature.title, fix.slug, why)


def _unseen(known: SignatureKnowledge, today: date) -> bool:
    return bool(known.last_seen) and (today - date.fromisoformat(known.last_seen[:10])).days > LONG


def _components(sessions: Iterable[SessionFacts]) -> tuple[tuple[str, int, str], ...]:
    """Each component with the number of its sessions and its newest version, the most used first."""
    used: dict[str, list[str]] = {}
    for session in sessions:
        for name, version in session.components.items():
            used.setdefault(name, []).append(version)
    return tuple((name, len(used[name]), newest(used[name])) for name in sorted(used, key=lambda n: (-len(used[n]), n)))
