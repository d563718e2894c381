"""The facts of many sessions to knowledge: ranked fixes, dead ends and chains for each signature."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kb.failures.model import Role
from kb.knowledge.fix_order import order_words
from kb.knowledge.model import (
    Chain,
    FixMade,
    Knowledge,
    Occurrence,
    RankedFix,
    Regression,
    SessionFacts,
    SignatureKnowledge,
    Strength,
    Try,
)
from kb.knowledge.ranking import wilson_lower
from kb.knowledge.regressions import regression_words, regressions
from kb.signature.model import Signature

_STRENGTHS: tuple[Strength, ...] = ("", "exit-0", "absent", "soaked", "reverted")
_ROLES: tuple[Role, ...] = ("root", "wrapper", "cascade", "teardown")


@dataclass(slots=True)
class _Heap:
    """All that was said of one signature, newest session first."""

    occurrences: list[tuple[SessionFacts, Occurrence]] = field(default_factory=list)
    tries: list[tuple[SessionFacts, Try]] = field(default_factory=list)
    came_from: list[tuple[SessionFacts, Try]] = field(default_factory=list)


def gather(facts: Iterable[SessionFacts], only: Collection[str] | None = None, *, explained: bool = True) -> Knowledge:
    """The knowledge in `facts`, sessions newest first; `only` limits it to these signature ids.

    Without `explained` nothing says why a fix stands where it stands, which takes a fifth of the time.
    What is known of a signature depends on no other sessions than those that it occurs in.
    """
    ordered = sorted(facts, key=lambda one: (one.started, one.id), reverse=True)
    heaps: dict[str, _Heap] = {}
    for session in ordered:
        for occurrence in session.occurrences:
            if only is None or occurrence.signature.id in only:
                heaps.setdefault(occurrence.signature.id, _Heap()).occurrences.append((session, occurrence))
    for session in ordered:
        for tried in session.tries:
            if tried.signature_id in heaps:
                heaps[tried.signature_id].tries.append((session, tried))
            if tried.next_id in heaps:
                heaps[tried.next_id].came_from.append((session, tried))
    return Knowledge(
        sessions={session.id: session for session in ordered},
        signatures={key: _signature(heap, explained=explained) for key, heap in heaps.items()},
    )


def _signature(heap: _Heap, *, explained: bool) -> SignatureKnowledge:
    sessions = list({session.id: session for session, _ in heap.occurrences}.values())
    newest = heap.occurrences[0][1]
    signature, *merged = _signatures(occurrence.signature for _, occurrence in heap.occurrences)
    seconds, timed = _typical_seconds(heap.occurrences)
    back = regressions(heap.tries, heap.occurrences)
    return SignatureKnowledge(
        signature=signature,
        role=_role(occurrence for _, occurrence in heap.occurrences),
        declared=newest.failure.kind == "declared",
        occurrences=tuple((session.id, occurrence) for session, occurrence in heap.occurrences),
        fixes=_told(_ranked(heap.tries), back, explained=explained),
        next=_chains((session, tried, tried.signature_id, tried.next_id) for session, tried in heap.tries),
        previous=_chains((session, tried, tried.signature_id, tried.next_id) for session, tried in heap.came_from),
        sessions=tuple(session.id for session in sessions),
        first_seen=min(session.started for session in sessions),
        last_seen=max(session.started for session in sessions),
        components=_versions(session.components for session in sessions),
        tags=tuple(sorted({tag for session in sessions for tag in session.tags})),
        attempt_seconds=seconds,
        attempts_timed=timed,
        regressions=back,
        merged=tuple(merged),
    )


def _signatures(given: Iterable[Signature]) -> list[Signature]:
    """What the rules gave to failures that go by one id, each once: the one whose own id that is first, then by id."""
    each: dict[str, Signature] = {}
    for signature in given:
        each.setdefault(signature.signed, signature)
    return [each[signed] for signed in sorted(each)]


def _role(occurrences: Iterable[Occurrence]) -> Role:
    """The role it mostly had; to be a root beside the root of an attempt says nothing."""
    counts = dict.fromkeys(_ROLES, 0)
    for occurrence in occurrences:
        if occurrence.primary or occurrence.role != "root":
            counts["root" if occurrence.primary else occurrence.role] += 1
    return max(_ROLES, key=counts.__getitem__)


def _ranked(tries: Sequence[tuple[SessionFacts, Try]]) -> tuple[RankedFix, ...]:
    """The fixes tried, best first: lower bound, then how often nothing failed any more, then the newest evidence."""
    by_slug: dict[str, list[tuple[SessionFacts, Try]]] = {}
    for session, tried in tries:
        by_slug.setdefault(tried.fix, []).append((session, tried))
    ranked = [_ranked_fix(slug, made) for slug, made in by_slug.items()]
    ranked.sort(key=lambda fix: fix.last, reverse=True)
    ranked.sort(key=lambda fix: (-fix.lower_bound, -fix.fixed, fix.failed > 0))
    return tuple(ranked)


def _told(ranked: tuple[RankedFix, ...], back: Sequence[Regression], *, explained: bool) -> tuple[RankedFix, ...]:
    """The fixes, each with why it stands where it stands, and where the failure came back after it."""
    if not (explained or back):
        return ranked
    last = {one.fix: regression_words(one) for one in reversed(back)}
    return tuple(
        replace(fix, order=order, came_back=last.get(fix.slug, ""))
        for fix, order in zip(ranked, order_words(ranked), strict=True)
    )


def _ranked_fix(slug: str, tries: Sequence[tuple[SessionFacts, Try]]) -> RankedFix:
    outcomes = [tried.outcome for _, tried in tries]
    fixed, progressed, failed = outcomes.count("fixed"), outcomes.count("progressed"), outcomes.count("failed")
    made = [(session.id, fix) for session, tried in tries for fix in _made(session, tried)]
    helped = fixed + progressed
    strengths = [tried.strength for _, tried in tries if tried.outcome in ("fixed", "progressed")]
    newest = made[0][1] if made else FixMade(slug, "", slug, 0)
    sessions = list({session.id: session for session, _ in tries}.values())
    ended_by, ended_after = _ending(tries)
    return RankedFix(
        slug=slug,
        title=newest.title,
        kind=newest.kind,
        fixed=fixed,
        progressed=progressed,
        failed=failed,
        unverified=outcomes.count("unverified"),
        lower_bound=wilson_lower(helped, helped + failed),
        strength=max(strengths, key=_STRENGTHS.index, default=""),
        sessions=tuple(session.id for session in sessions),
        last=max(session.ended or session.started for session in sessions),
        together=tuple(sorted({other for _, tried in tries for other in tried.together})),
        applies=next((fix.applies for _, fix in made if fix.applies), ""),
        target=next((fix.target for _, fix in made if fix.target), ""),
        versions=_versions(session.components for session in sessions),
        environments=_versions(session.environment for session in sessions),
        first=min(session.started for session in sessions),
        made=tuple(made),
        ended_by=ended_by,
        ended_after=ended_after,
    )


def _ending(tries: Sequence[tuple[SessionFacts, Try]]) -> tuple[tuple[str, ...], int]:
    """How the newest session ended in which a fix only led on to another failure, and was fixed in the end.

    The fixes that ended it, and how many other failures were met until then; nothing when no session got that far.
    """
    for session, tried in tries:
        if tried.outcome != "progressed":
            continue
        later = [one for one in session.tries if one.attempt > tried.attempt]
        end = max((one.attempt for one in later if one.outcome == "fixed"), default=0)
        if end:
            met = {one.signature_id for one in later if one.attempt <= end} - {tried.signature_id}
            last = [one.fix for one in later if one.attempt == end and one.outcome == "fixed"]
            return tuple(dict.fromkeys(last)), len(met)
    return (), 0


def _made(session: SessionFacts, tried: Try) -> list[FixMade]:
    return [fix for fix in session.fixes if fix.slug == tried.fix and fix.attempt == tried.attempt][:1]


def _chains(steps: Iterable[tuple[SessionFacts, Try, str, str]]) -> tuple[Chain, ...]:
    found: dict[tuple[str, str, str], dict[str, None]] = {}
    for session, tried, before, after in steps:
        if tried.outcome == "progressed" and after:
            found.setdefault((before, tried.fix, after), {})[session.id] = None
    chains = [Chain(before, fix, after, tuple(sessions)) for (before, fix, after), sessions in found.items()]
    return tuple(sorted(chains, key=lambda chain: -len(chain.sessions)))


def _versions(all_values: Iterable[Mapping[str, str]]) -> Mapping[str, tuple[str, ...]]:
    """Each name with the values that it had, in the order they are met."""
    first, *others = all_values
    if not others:
        return {name: (first[name],) for name in sorted(first)}  # most signatures occur in one session
    seen: dict[str, dict[str, None]] = {}
    for values in (first, *others):
        for name, value in values.items():
            seen.setdefault(name, {})[value] = None
    return {name: tuple(seen[name]) for name in sorted(seen)}


def _typical_seconds(occurrences: Iterable[tuple[SessionFacts, Occurrence]]) -> tuple[float | None, int]:
    """The median duration of the attempts that ended in this failure, where stated, and how many state one."""
    durations = {
        (session.id, one.attempt): session.attempt_seconds[one.attempt - 1]
        for session, one in occurrences
        if one.primary and 0 < one.attempt <= len(session.attempt_seconds)
    }
    stated = [seconds for seconds in durations.values() if seconds > 0]
    if not stated:
        return None, 0
    if len(stated) == 1:
        return stated[0], 1
    # Imported now: `kb triage` reads this module on every call, and this library costs as much as half of it.
    from statistics import median

    return median(stated), len(stated)
