"""The pieces that several pages show: links, fix cards, diagnoses, rows of sessions and of signatures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from functools import partial
from typing import NamedTuple

from kb.failures.model import Role
from kb.knowledge.applies import components
from kb.knowledge.model import FixMade, Outcome, RankedFix, SessionFacts, SignatureKnowledge, Try
from kb.knowledge.staleness import A_WHILE, retest
from kb.runbook.library import Library, best_fix
from kb.runbook.phrases import RESOLUTION, STRENGTH, between, day, helped, proof, span, tries
from kb.runbook.urls import component_url, fix_url, session_url, signature_url, tag_url
from kb.runbook.worked import worked_words

#: How many tries of a fix are told one by one.
TRIES = 6


class LinkView(NamedTuple):
    """A link: `url` from the site's root, "" when there is no such page."""

    title: str
    url: str


class TryView(NamedTuple):
    """One try of a fix in one session."""

    session: LinkView
    day: str
    attempt: int
    outcome: Outcome
    strength: str
    because: str
    together: tuple[LinkView, ...]
    next: LinkView | None


class FixView(NamedTuple):
    """A fix as tried on one signature, with its evidence."""

    link: LinkView
    slug: str
    kind: str
    proof: str
    strength: str
    helped: int
    tries: int
    unverified: int
    lower_bound: float
    last: str
    target: str
    applies: str
    prose: str
    blocks: tuple[tuple[str, str], ...]
    together: tuple[LinkView, ...]
    versions: tuple[str, ...]
    each: tuple[TryView, ...]
    unshown: int
    order: str = ""
    came_back: str = ""
    retest: str = ""
    worked: str = ""


class SessionRow(NamedTuple):
    """A session as one row of a table."""

    link: LinkView
    day: str
    resolution: str
    resolution_words: str
    components: tuple[tuple[str, str, str], ...]
    environment: tuple[tuple[str, str], ...]
    attempts: int
    took: str
    summary: str
    tags: tuple[LinkView, ...]
    path: str = ""


class SignatureRow(NamedTuple):
    """A signature as one row of a table or one card."""

    link: LinkView
    id: str
    role: Role
    declared: bool
    components: tuple[LinkView, ...]
    sessions: int
    last: str
    fix: LinkView | None
    helped: int
    tries: int
    dead_ends: int


def signature_link(library: Library, signature_id: str) -> LinkView:
    """A link to a signature's page."""
    known = library.signature(signature_id)
    return LinkView(known.signature.title, signature_url(signature_id)) if known else LinkView(signature_id, "")


def session_link(library: Library, session_id: str) -> LinkView:
    """A link to a session's page."""
    facts = library.session(session_id)
    return LinkView(facts.title, session_url(session_id)) if facts else LinkView(session_id, "")


def fix_link(library: Library, slug: str) -> LinkView:
    """A link to a fix's page."""
    story = library.fixes.get(slug)
    return LinkView(story.title, fix_url(slug)) if story else LinkView(slug, "")


def component_link(library: Library, name: str) -> LinkView:
    """A link to a component's page."""
    return LinkView(name, component_url(name) if name in library.components else "")


def tag_links(library: Library, tags: Iterable[str]) -> tuple[LinkView, ...]:
    """Links to the pages of tags."""
    return tuple(LinkView(tag, tag_url(tag) if tag in library.tags else "") for tag in tags)


def try_view(library: Library, facts: SessionFacts, tried: Try) -> TryView:
    """One try, in words and links."""
    return TryView(
        session=session_link(library, facts.id),
        day=day(facts.started),
        attempt=tried.attempt,
        outcome=tried.outcome,
        strength=STRENGTH[tried.strength],
        because=tried.because,
        together=tuple(fix_link(library, slug) for slug in tried.together if slug != tried.fix),
        next=signature_link(library, tried.next_id) if tried.next_id else None,
    )


def fix_view(library: Library, signature_id: str, fix: RankedFix) -> FixView:
    """A fix with its tries on one signature, the newest first; what to do is taken from the newest session that
    spelled it out. The pages of both show it."""
    return library.shared(f"{signature_id} {fix.slug}", partial(_fix_view, library, signature_id, fix))


def _fix_view(library: Library, signature_id: str, fix: RankedFix) -> FixView:
    made_in = [facts for facts in map(library.session, fix.sessions) if facts]
    each = [
        (facts, tried)
        for facts in made_in
        for tried in facts.tries
        if tried.fix == fix.slug and tried.signature_id == signature_id
    ]
    each.sort(key=lambda pair: day(pair[0].started), reverse=True)
    spelled = _spelled_out(library, fix)
    return FixView(
        link=fix_link(library, fix.slug),
        slug=fix.slug,
        kind=fix.kind,
        proof=proof(fix),
        strength=STRENGTH[fix.strength],
        helped=helped(fix),
        tries=tries(fix),
        unverified=fix.unverified,
        lower_bound=fix.lower_bound,
        last=day(fix.last),
        target=fix.target or (spelled.target if spelled else ""),
        applies=fix.applies or (spelled.applies if spelled else ""),
        prose=spelled.prose if spelled else "",
        blocks=spelled.blocks if spelled else (),
        together=tuple(fix_link(library, slug) for slug in fix.together if slug != fix.slug),
        versions=version_words(fix.versions),
        each=tuple(try_view(library, facts, tried) for facts, tried in each[:TRIES]),
        unshown=max(0, len(each) - TRIES),
        order=fix.order,
        came_back=fix.came_back,
        retest=_retest(library, fix),
        worked=worked_words(library, signature_id, fix),
    )


def _retest(library: Library, fix: RankedFix) -> str:
    """Why the evidence is old, by the day and the versions of the newest sessions: a page depends on nothing else."""
    today = library.today(fix.last) if tries(fix) else None
    if today is None or not fix.last:
        return ""
    # Only looked at when they count, so that a new version does not make every page anew.
    known = library.versions if (today - date.fromisoformat(fix.last[:10])).days > A_WHILE else {}
    return retest(fix.last, fix.versions, {}, today, components(fix.applies), known)


def _spelled_out(library: Library, fix: RankedFix) -> FixMade | None:
    made = sorted(fix.made, key=lambda pair: _started(library, pair[0]), reverse=True)
    with_blocks = (one for _, one in made if one.blocks)
    return next(with_blocks, None) or next((one for _, one in made), None)


def _started(library: Library, session_id: str) -> str:
    facts = library.session(session_id)
    return facts.started if facts else ""


def version_words(versions: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """`vllm 0.15.1, 0.15.2` for each component."""
    return tuple(f"{name} {', '.join(each)}" for name, each in sorted(versions.items()))


def session_row(library: Library, facts: SessionFacts) -> SessionRow:
    """A session as a row."""
    seconds = between(facts.started, facts.ended)
    return SessionRow(
        link=session_link(library, facts.id),
        day=day(facts.started),
        resolution=facts.resolution,
        resolution_words=RESOLUTION.get(facts.resolution, facts.resolution),
        components=tuple((name, version, component_url(name)) for name, version in facts.components.items()),
        environment=tuple(facts.environment.items()),
        attempts=len(facts.attempts),
        took=span(seconds) if seconds is not None and seconds >= 0 else "",
        summary=facts.summary,
        tags=tag_links(library, facts.tags),
        path=facts.path,
    )


def signature_row(library: Library, known: SignatureKnowledge) -> SignatureRow:
    """A signature as a row."""
    best = best_fix(known)
    return SignatureRow(
        link=LinkView(known.signature.title, signature_url(known.signature.id)),
        id=known.signature.id,
        role=known.role,
        declared=known.declared,
        components=tuple(component_link(library, name) for name in sorted(known.components)),
        sessions=len(known.sessions),
        last=day(known.last_seen),
        fix=fix_link(library, best.slug) if best else None,
        helped=helped(best) if best else 0,
        tries=tries(best) if best else 0,
        dead_ends=len(known.dead_ends),
    )
