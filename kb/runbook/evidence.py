"""The evidence for a signature: the excerpt that shows it best, with its decisive line and the mere symptoms marked."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from kb.knowledge.model import Occurrence, SessionFacts, SignatureKnowledge
from kb.runbook.excerpts import Excerpt, Mark, around, lines_of, numbers_of
from kb.runbook.library import Library
from kb.runbook.phrases import ROLE
from kb.runbook.views import LinkView, session_link, signature_link
from kb.signature.model import Segment

#: Lines of context shown around the decisive line on a signature's page.
BEFORE, AFTER = 14, 8
#: Characters of a decisive line on the first screen, and how many of them may stand before what decides.
LONGEST, LEAD = 240, 16
#: How many mere symptoms are told.
SYMPTOMS = 8


class SymptomView(NamedTuple):
    """Another failure of the same attempt: what its line says, and why it is not the cause."""

    link: LinkView
    text: str
    line: int
    role: str
    because: tuple[str, ...]


class EvidenceView(NamedTuple):
    """One occurrence with its context."""

    decisive: Excerpt
    excerpt: Excerpt
    session: LinkView
    day: str
    attempt: int
    source: str
    line: int
    process: str
    because: tuple[str, ...]
    symptoms: tuple[SymptomView, ...]


def evidence_view(library: Library, known: SignatureKnowledge) -> EvidenceView | None:
    """The newest occurrence that shows the failure with its context, or None when there is none with a text."""
    shown = [
        (library.session(session), seen) for session, seen in known.occurrences if seen.excerpt or seen.failure.text
    ]
    pairs = [(facts, seen) for facts, seen in shown if facts]
    if not pairs:
        return None
    facts, seen = max(pairs, key=lambda pair: (pair[1].primary, bool(pair[1].excerpt), pair[0].started, pair[0].id))
    others = tuple(o for o in facts.occurrences if o.attempt == seen.attempt and o.signature.id != known.signature.id)
    excerpt, middle = marked_excerpt(seen, others)
    decisive = _first_line(around(excerpt, middle, 0, 0), known.signature.type)
    return EvidenceView(
        decisive=decisive,
        excerpt=around(excerpt, middle, BEFORE, AFTER),
        session=session_link(library, facts.id),
        day=facts.started[:10],
        attempt=seen.attempt,
        source=seen.source,
        line=seen.source_line,
        process=seen.failure.process or "",
        because=seen.failure.because,
        symptoms=tuple(islice(_symptoms(library, facts, others), SYMPTOMS)),
    )


def marked_excerpt(seen: Occurrence, others: Iterable[Occurrence]) -> tuple[Excerpt, int]:
    """The excerpt of an occurrence with its own line and those of other failures marked, and its own line's place."""
    lines = lines_of(seen.excerpt or seen.failure.text)
    middle = min(max(seen.decisive, 0), len(lines) - 1) if lines else 0
    marks = {
        place: Mark("symptom")
        for other in others
        for place, line in enumerate(lines)
        if other.failure.text.strip() and line.strip() == lines_of(other.failure.text)[0].strip()
    }
    marks[middle] = Mark("root", seen.signature.segments)
    return Excerpt(lines or ("",), numbers_of(lines, middle, seen.source_line), marks), middle


def _first_line(one: Excerpt, type_: str) -> Excerpt:
    """The decisive line as it fits on the first screen: from its first deciding words on, and not too much of it.

    A line that holds none of the message decides by its type.
    """
    line = one.lines[0]
    segments = one.marks[0].segments if 0 in one.marks else ()
    literal = next((part.text.strip() for part in segments if not part.gap and len(part.text.strip()) > 1), "")
    if type_ and type_ in line and literal not in line:
        literal = type_
        one = one._replace(marks={0: Mark("root", (Segment(type_),))})
    start = max(0, line.find(literal)) if literal else 0
    start = start if start > LEAD else 0
    cut = line[start : start + LONGEST]
    shown = f"{'… ' if start else ''}{cut}{' …' if start + LONGEST < len(line) else ''}"
    return one._replace(lines=(shown,), before=0, after=0)


def _symptoms(library: Library, facts: SessionFacts, others: Iterable[Occurrence]) -> Iterable[SymptomView]:
    known: set[str] = set()
    for other in others:
        if other.role == "root" or other.signature.id in known:
            continue
        known.add(other.signature.id)
        yield SymptomView(
            link=signature_link(library, other.signature.id),
            text=other.failure.text.strip() or other.signature.title,
            line=other.source_line,
            role=ROLE[other.role],
            because=other.failure.because,
        )
