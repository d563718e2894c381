"""Knowledge to rules: what each signature's rule would say, and the evidence that it must hold to."""

from __future__ import annotations

from dataclasses import dataclass

from kb.failures.lines import clean
from kb.knowledge.model import Knowledge, Occurrence, RankedFix, SignatureKnowledge
from kb.knowledge.named import named_components
from kb.rules.model import Piece, Remedy, Severity, TriageRule
from kb.rules.portable import render
from kb.signature.gaps import GAPS
from kb.signature.pattern import ruled

#: A failure of these kinds took its process with it.
_CRITICAL = frozenset({"crash", "kernel", "death", "oom", "gpu", "device-assert"})
_LONGEST_LINE = 4_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule before it is checked. `evidence` are the texts of each occurrence: one line of each must match.

    `signature` is the id of the page it leads to. `places` are the session and the attempt of each occurrence.
    `needs_context`: the line alone says too little.
    """

    rule: TriageRule
    signature: str
    evidence: tuple[tuple[str, ...], ...]
    places: tuple[tuple[str, int], ...]
    needs_context: bool
    declared: bool


def candidates(knowledge: Knowledge, *, base_url: str = "") -> tuple[Candidate, ...]:
    """One candidate for each signature, by id; `base_url` is the address of the runbook site.

    What people merged into a signature has a line of its own, and so a rule of its own under its own id, which leads to
    the same page.
    """
    return tuple(
        _candidate(one, (number and one.signature.signed) or one.signature.id, base_url)
        for _, known in sorted(knowledge.signatures.items())
        for number, one in enumerate(known.as_signed())
    )


def _candidate(known: SignatureKnowledge, id_: str, base_url: str) -> Candidate:
    signature = known.signature
    pieces = tuple(
        Piece(GAPS[one.gap].regex, True) if one.gap else Piece(one.text)
        for one in (ruled(signature.segments) if signature.pattern else ())
    )
    kinds = {one.failure.kind for _, one in known.occurrences}
    severity: Severity = "critical" if kinds & _CRITICAL else "error"
    rule = TriageRule(
        id=id_,
        title=signature.title,
        type=signature.type,
        message=signature.template,
        role=known.role,
        severity=severity if known.role == "root" else "warning",
        component=_component(known),
        components=tuple(known.components),
        tags=known.tags,
        pieces=pieces,
        pattern=signature.pattern and render(pieces),
        anchor=signature.anchor,
        url=f"{base_url.rstrip('/')}/s/{id_}/" if base_url else "",
        remedy=_remedy(known),
        sessions=len(known.sessions),
        first_seen=known.first_seen,
        last_seen=known.last_seen,
        examples=(),
    )
    return Candidate(
        rule,
        signature.id,
        tuple(_texts(one) for _, one in known.occurrences),
        tuple((session, one.attempt) for session, one in known.occurrences),
        bool(signature.context),
        known.declared,
    )


def _texts(occurrence: Occurrence) -> tuple[str, ...]:
    """The lines of one occurrence, the decisive one first, without colours."""
    failure = occurrence.failure
    lines = (failure.text, *failure.message.split("\n"))
    return tuple(dict.fromkeys(clean(line)[:_LONGEST_LINE].strip() for line in lines if line.strip()))


def _component(known: SignatureKnowledge) -> str:
    """What the signature is filed under: the first component of its sessions that the failure itself names, else its
    language, else any component, else `general`.
    """
    failures = [one.failure for _, one in known.occurrences]
    languages = sorted({failure.language for failure in failures if failure.language})
    named = named_components((name for name in known.components if name not in languages), failures)
    return next(iter((*named, *languages, *known.components)), "general")


def _remedy(known: SignatureKnowledge) -> Remedy | None:
    """The best fix that the record proves; None where nothing has helped yet."""
    for fix in known.fixes:
        if fix.fixed:
            return Remedy(fix.slug, _sentence(fix), fix.kind, _evidence(fix))
    return None


def _sentence(fix: RankedFix) -> str:
    title = " ".join((fix.title or fix.slug.replace("-", " ")).split())
    return title if title.endswith((".", "!", "?")) else f"{title}."


def _evidence(fix: RankedFix) -> str:
    tries = fix.fixed + fix.progressed + fix.failed
    return f"worked in {fix.fixed} of {tries} {'try' if tries == 1 else 'tries'}, last on {fix.last[:10]}"
