"""A log against the index: which failure is the root, whether it is known, and what fixes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import BinaryIO

from kb.failures.excerpt import Shown, excerpt
from kb.failures.large import find_in
from kb.failures.model import Failure, Role
from kb.index.store import Store
from kb.signature.frames import own_names
from kb.signature.model import Signature
from kb.signature.sign import sign
from kb.triage.matching import matches
from kb.triage.model import Match, Report, Triaged, Verdict
from kb.triage.versions import Versions

#: Failures that are looked up; what comes after so many is repetition.
_LOOKED_UP = 200
#: An answer shows less of a failure than is kept of it: what one takes in at a glance.
_EXCERPT = 30
#: So many lines before a failure are shown; before one that a line tells, fewer.
_CONTEXT, _LITTLE = 3, 2
_LONE = frozenset({"error-line", "error", "shell", "resolver"})


def triage(
    data: bytes | BinaryIO,
    source: str,
    store: Store | None,
    *,
    excerpts: bool = False,
    explain: bool = True,
    versions: Mapping[str, str] | None = None,
) -> Report:
    """The report on the log `data`, named `source`; without a store every failure is new. Never raises for a log.

    `versions` (component -> version) are the reader's; those of other components are looked for in the log. A log given
    as a stream is read by the neighbourhoods of marker words, in bounded memory. With `excerpts`, each
    failure comes with its lines (of a log with very many failures, the first ones). Without `explain`, nothing says why
    nothing matched, which takes as long again as to look for what resembles it.
    """
    found, lines = find_in(data)
    if not found.failures:
        return Report(source, found.lines, "no-failure", None, (), found.hints)
    signatures = [sign(failure) for failure in found.failures]
    if store is not None:
        signatures = [store.settle(one, failure) for one, failure in zip(signatures, found.failures, strict=True)]
    failures, primary = list(found.failures), found.primary
    if store is not None and primary is not None and not found.symptom_only:
        failures, primary = _learned(store, failures, signatures, primary)
    judged_by = Versions(lines, versions or {})
    matched = _matched(store, failures, signatures, lines, primary, judged_by) if store else [()] * len(failures)
    shown: list[tuple[Shown, ...]] = []
    for at, one in enumerate(failures[:_LOOKED_UP] if excerpts else ()):
        beside = failures if at == primary else ()
        context = _LITTLE if one.role == "root" and one.kind in _LONE else _CONTEXT
        shown.append(excerpt(lines, one, own=own_names(one), most=_EXCERPT, beside=beside, context=context))
    shown += [()] * (len(failures) - len(shown))
    triaged = tuple(map(Triaged, failures, signatures, matched, shown))
    verdict = _verdict(triaged, primary, symptom_only=found.symptom_only)
    hints = found.hints
    if explain and store is not None and verdict == "new" and primary is not None and not matched[primary]:
        hints = (*hints, _why_new(store, failures[primary], signatures[primary]))
    return Report(source, found.lines, verdict, primary, triaged, hints, judged_by.known())


def _learned(
    store: Store, failures: list[Failure], signatures: Sequence[Signature], primary: int
) -> tuple[list[Failure], int]:
    """Give up the primary for another root when sessions recorded it as a symptom, and that other one as a root."""
    card = store.lookup_id(signatures[primary].id)
    if card is None or card.role == "root":
        return failures, primary
    role: Role = card.role
    for other, failure in enumerate(failures):
        if other == primary or failure.role != "root":
            continue
        rival = store.lookup_id(signatures[other].id)
        if rival is not None and rival.role != "root":
            continue
        changed = list(failures)
        told = f"recorded as a {role} in {card.seen} session" + ("" if card.seen == 1 else "s")
        before = failures[primary]
        changed[primary] = before._replace(role=role, because=(*before.because, told))
        chosen = f"the failure on line {before.line} is known to be a {role}"
        changed[other] = failure._replace(because=(*failure.because, chosen))
        return changed, other
    return failures, primary


def _matched(
    store: Store,
    failures: Sequence[Failure],
    signatures: Sequence[Signature],
    lines: Sequence[str],
    primary: int | None,
    versions: Versions,
) -> list[tuple[Match, ...]]:
    """The matches of each failure; equal failures are looked up once, and only the primary gets suggestions."""
    matched: list[tuple[Match, ...]] = []
    for at, (failure, signature) in enumerate(zip(failures, signatures, strict=True)):
        if at >= _LOOKED_UP and at != primary:
            matched.append(())
            continue
        matched.append(matches(store, failure, signature, lines, suggest=at == primary, versions=versions))
    return matched


def _verdict(triaged: Sequence[Triaged], primary: int | None, *, symptom_only: bool) -> Verdict:
    if symptom_only or primary is None:
        return "symptom-only"
    known = any(match.level != "similar" for match in triaged[primary].matches)
    return "known" if known else "new"


def _why_new(store: Store, failure: Failure, signature: Signature) -> str:
    """Why nothing matched, in words."""
    from kb.triage.similar import THRESHOLD, compared  # what is known needs no ranking, and start-up counts

    total = store.count()
    if not total:
        return "The knowledge base holds no signature yet."
    none = f"none of the {total} known signatures" if total > 1 else "not even the one known signature"
    said = f"Not seen before: {none} has this message or a pattern that matches it"
    nearest = next(iter(compared(store, failure, signature)), None)
    if nearest is None:
        return f"{said}, nor shares a telling word with it."
    score = f"score {nearest.score:.2f}, and suggestions begin at {THRESHOLD:.2f}"
    return f"{said}, and none resembles it enough: the nearest {nearest.why} ({score})."
