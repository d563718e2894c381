"""The page of a signature: what to do first, whether it is this one, why it happens, what was tried, what follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from markupsafe import Markup

from kb.knowledge.model import Chain, SignatureKnowledge
from kb.runbook.charts import timeline
from kb.runbook.evidence import EvidenceView, evidence_view
from kb.runbook.first_screen import Certainty, certainty, summary, what_words
from kb.runbook.history import EventView, SeenWith, history, seen_with
from kb.runbook.library import Library, best_fix
from kb.runbook.lines.line_rules import LineRule
from kb.runbook.page import Draft
from kb.runbook.phrases import day, helped, span
from kb.runbook.reading import Said
from kb.runbook.relations import (
    LookalikeView,
    RelatedView,
    VariantView,
    lookalike_views,
    related_views,
    variant_views,
)
from kb.runbook.templating import Templates
from kb.runbook.urls import signature_url
from kb.runbook.views import (
    FixView,
    LinkView,
    SessionRow,
    component_link,
    fix_link,
    fix_view,
    session_link,
    session_row,
    signature_link,
    tag_links,
)
from kb.signature.rule import CONTEXT_LINES

#: How many sessions a page shows in full, how many more as links; how many chains, and steps of one.
SESSIONS, LINKS, CHAINS, STEPS = 12, 40, 8, 6
#: How many fixes are told in full, how many dead ends, and how many diagnoses.
FIXES, DEAD, DIAGNOSES = 12, 12, 6


class PlaceView(NamedTuple):
    """An attempt of a session."""

    session: LinkView
    attempt: int
    day: str


class DiagnosisView(NamedTuple):
    """What was concluded, and where; sessions that say the same share one."""

    places: tuple[PlaceView, ...]
    prose: str
    confidence: str
    rules_out: str


class ChainStep(NamedTuple):
    """A failure in a chain and the fix that led to it ("" fix for the first)."""

    signature: LinkView
    fix: LinkView | None
    sessions: int


class SignatureView(NamedTuple):
    """All that the template shows."""

    known: SignatureKnowledge
    what: str
    short: str
    sure: Certainty
    components: tuple[LinkView, ...]
    tags: tuple[LinkView, ...]
    first_seen: str
    last_seen: str
    attempt: str
    best: FixView | None
    expect: tuple[LinkView, ...]
    others: tuple[FixView, ...]
    dead_ends: tuple[FixView, ...]
    roots: tuple[LinkView, ...]
    evidence: EvidenceView | None
    lookalikes: tuple[LookalikeView, ...]
    related: tuple[RelatedView, ...]
    variants: tuple[VariantView, ...]
    diagnoses: tuple[DiagnosisView, ...]
    following: tuple[tuple[ChainStep, ...], ...]
    leading: tuple[tuple[ChainStep, ...], ...]
    seen: tuple[SessionRow, ...]
    older: tuple[LinkView, ...]
    unseen: int
    versions: tuple[SeenWith, ...]
    history: tuple[EventView, ...]
    unshown_fixes: int
    regressed: tuple[LinkView, ...]
    time: Markup
    rule: LineRule | None
    near: int = CONTEXT_LINES

    @property
    def toc(self) -> tuple[tuple[str, str], ...]:
        """The headings that this page has."""
        return tuple(
            heading
            for heading, present in (
                (("check", "Check first"), True),
                (("first", "Do this first"), True),
                (("this-one", "How to recognise it"), self.evidence is not None or bool(self.lookalikes)),
                (("why", "Why it happens"), bool(self.diagnoses)),
                (("fixes", "Fixes, best first"), bool(self.best or self.others)),
                (("dead-ends", "Dead ends"), bool(self.dead_ends)),
                (("next", "What comes next"), bool(self.following or self.leading)),
                (("related", "Related and variants"), bool(self.related or self.variants)),
                (("seen", "Where it was seen"), bool(self.seen)),
                (("history", "History"), len(self.history) > 1),
                (("pattern", "The rule"), True),
            )
            if present
        )


def signature_draft(library: Library, templates: Templates, known: SignatureKnowledge) -> Draft:
    """The page of `known`."""
    url = signature_url(known.signature.id)
    view = signature_view(library, known)
    return templates.draft("signature", url, known.signature.title, view, view.toc)


def signature_view(library: Library, known: SignatureKnowledge) -> SignatureView:
    """Everything the page says of `known`."""
    best = best_fix(known)
    dead = {fix.slug for fix in known.dead_ends}
    fixes = {fix.slug: fix for fix in known.fixes}
    seen = [facts for facts in (library.session(one) for one in known.sessions) if facts]
    seen.sort(key=lambda facts: (facts.started, facts.id), reverse=True)
    rule = next(iter(library.lines[known.signature.id]), None)
    diagnoses = tuple(islice(_diagnoses(library, known), DIAGNOSES))
    helpful = [slug for slug in fixes if slug not in dead][:FIXES]
    useless = [slug for slug in fixes if slug in dead][:DEAD]
    shown = dict.fromkeys(([best.slug] if best else []) + helpful + useless)
    cards = {slug: fix_view(library, known.signature.id, fixes[slug]) for slug in shown}
    return SignatureView(
        known=known,
        what=what_words(known),
        short=summary(one.prose for one in diagnoses),
        sure=certainty(known, rule),
        components=tuple(component_link(library, name) for name in sorted(known.components)),
        tags=tag_links(library, known.tags),
        first_seen=day(known.first_seen),
        last_seen=day(known.last_seen),
        attempt=_cost(known),
        best=cards[best.slug] if best else None,
        expect=tuple(signature_link(library, one.after) for one in known.next if best and one.fix == best.slug)[
            :CHAINS
        ],
        others=tuple(cards[slug] for slug in helpful),
        dead_ends=tuple(cards[slug] for slug in useless),
        roots=tuple(_roots(library, known)),
        evidence=evidence_view(library, known),
        lookalikes=tuple(lookalike_views(library, known)),
        related=related_views(library, known),
        variants=variant_views(library, known),
        diagnoses=diagnoses,
        following=tuple(islice(_following(library, known), CHAINS)),
        leading=tuple(islice(_leading(library, known.previous), CHAINS)),
        seen=tuple(session_row(library, facts) for facts in seen[:SESSIONS]),
        older=tuple(session_link(library, facts.id) for facts in seen[SESSIONS : SESSIONS + LINKS]),
        unseen=max(0, len(seen) - SESSIONS - LINKS),
        versions=seen_with(library, seen),
        history=history(library, known),
        unshown_fixes=len(fixes) - len(helpful) - min(len(dead), DEAD),
        regressed=tuple(fix_link(library, slug) for slug in known.regressed),
        time=timeline(facts.started for facts in seen),
        rule=rule,
    )


def _cost(known: SignatureKnowledge) -> str:
    """What an attempt takes, and the median of how many that is; "" when none states a duration."""
    if not known.attempt_seconds:
        return ""
    timed = known.attempts_timed
    return span(known.attempt_seconds) + (f" (median of {timed})" if timed > 1 else "")


def _roots(library: Library, known: SignatureKnowledge) -> Iterator[LinkView]:
    """The root failures of the attempts in which this signature was a mere symptom, the most frequent first."""
    counts: dict[str, int] = {}
    for session_id, seen in known.occurrences:
        facts = library.session(session_id)
        for other in facts.occurrences if facts and not seen.primary else ():
            if other.attempt == seen.attempt and other.primary and other.signature.id != known.signature.id:
                counts[other.signature.id] = counts.get(other.signature.id, 0) + 1
    for signature_id in sorted(counts, key=lambda one: (-counts[one], one))[:5]:
        yield signature_link(library, signature_id)


def _diagnoses(library: Library, known: SignatureKnowledge) -> Iterator[DiagnosisView]:
    """What was concluded in attempts where this signature was the primary failure, the newest first."""
    places = {(session, seen.attempt) for session, seen in known.occurrences if seen.primary}
    ordered = sorted(places, key=lambda place: (_started(library, place[0]), place), reverse=True)
    said: dict[Said, list[PlaceView]] = {}
    for session_id, number in ordered:
        kept = library.kept.get(session_id)
        for one in kept.diagnoses[number - 1] if kept and 1 <= number <= len(kept.diagnoses) else ():
            place = PlaceView(session_link(library, session_id), number, _started(library, session_id)[:10])
            said.setdefault(one, []).append(place)
    for (prose, confidence, rules_out), where in said.items():
        yield DiagnosisView(tuple(where), prose, confidence, rules_out)


def _started(library: Library, session_id: str) -> str:
    facts = library.session(session_id)
    return facts.started if facts else ""


def _following(library: Library, known: SignatureKnowledge) -> Iterator[tuple[ChainStep, ...]]:
    """For each failure that came next: the way there, and on along the most frequent continuation."""
    for chain in known.next:
        steps = [ChainStep(signature_link(library, known.signature.id), None, 0), _step(library, chain)]
        visited = {known.signature.id, chain.after}
        here = library.signature(chain.after)
        while here and len(steps) < STEPS:
            onward = max(here.next, key=lambda one: len(one.sessions), default=None)
            if onward is None or onward.after in visited:
                break
            visited.add(onward.after)
            steps.append(_step(library, onward))
            here = library.signature(onward.after)
        last = best_fix(here) if here else None
        if here and last and last.fixed and helped(last):
            steps.append(ChainStep(LinkView("fixed", ""), fix_link(library, last.slug), last.fixed))
        yield tuple(steps)


def _leading(library: Library, chains: Iterable[Chain]) -> Iterator[tuple[ChainStep, ...]]:
    for chain in chains:
        yield (ChainStep(signature_link(library, chain.before), None, 0), _step(library, chain))


def _step(library: Library, chain: Chain) -> ChainStep:
    fix = fix_link(library, chain.fix) if chain.fix else None
    return ChainStep(signature_link(library, chain.after), fix, len(chain.sessions))
