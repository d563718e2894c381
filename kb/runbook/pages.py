"""Knowledge to pages: the runbook as a stream of pages, none of which knows how it will be published."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from kb.home import Home
from kb.knowledge.model import Knowledge
from kb.runbook.alias_page import alias_draft
from kb.runbook.library import Library, by_frequency, make_library, newest_first
from kb.runbook.overview_pages import overview_drafts
from kb.runbook.page import Draft, Page
from kb.runbook.reading import Record
from kb.runbook.session_page import session_draft
from kb.runbook.signature_page import signature_draft
from kb.runbook.story_pages import component_draft, fix_draft, tag_draft
from kb.runbook.table_pages import home_draft, table_draft
from kb.runbook.templating import Templates
from kb.runbook.urls import component_url, fix_url, session_url, signature_url, tag_url


def pages(knowledge: Knowledge, records: Mapping[str, Record], home: Home | None = None) -> Iterator[Page]:
    """All pages of the runbook, rendered.

    `records` are the sessions of `knowledge` by id; `home` is where a knowledge base keeps templates of its own.
    Raises `SiteError` when a template cannot be rendered.
    """
    templates = Templates(home, knowledge.sessions.keys())
    for draft in drafts(make_library(knowledge, records), templates):
        yield draft.render()


def drafts(library: Library, templates: Templates) -> Iterator[Draft]:
    """All pages of the runbook, not rendered yet; no two have the same address."""
    for plan in plans(library, templates):
        yield from plan.make(library)


@dataclass(frozen=True, slots=True)
class Plan:
    """One page, or some that are only made together, not even looked at yet; `make` may be given a library that notes
    what is looked up in it, and must look up everything there. `name` is the same in every build. `reads`: it reads a
    record, of which other plans only ask for what is kept of it.
    """

    name: str
    make: Callable[[Library], Iterable[Draft]]
    reads: bool = False


def plans(library: Library, templates: Templates) -> Iterator[Plan]:
    """The plans of all pages, in the order in which they are made.

    A signature comes after the last of its sessions: so a record is read once, and what their pages share is at hand.
    """
    knowledge = library.knowledge
    latest = newest_first(knowledge)
    order = {facts.id: number for number, facts in enumerate(latest)}
    last: dict[str, list[str]] = defaultdict(list)
    for known in by_frequency(knowledge):
        sessions = [one for one in known.sessions if one in order]
        last[max(sessions, key=order.__getitem__, default="")].append(known.signature.id)
    fixes = {slug: slug for slug in library.fixes}
    for facts in latest:
        yield Plan(session_url(facts.id), partial(_session, templates, facts.id), reads=True)
        yield from (Plan(signature_url(one), partial(_signature, templates, one)) for one in last[facts.id])
        for slug in dict.fromkeys(fix.slug for fix in facts.fixes):
            if fixes.pop(slug, ""):
                yield Plan(fix_url(slug), partial(_fix, templates, slug))
    yield from (Plan(signature_url(one), partial(_signature, templates, one)) for one in last[""])
    yield from (Plan(fix_url(slug), partial(_fix, templates, slug)) for slug in fixes)
    for old, current in knowledge.aliases.items():
        if old not in knowledge.signatures and current in knowledge.signatures:
            yield Plan(signature_url(old), partial(_alias, templates, old, current))
    for name in library.components:
        yield Plan(component_url(name), partial(_component, templates, name))
    for tag in library.tags:
        yield Plan(tag_url(tag), partial(_tag, templates, tag))
    yield Plan("overviews", lambda library: overview_drafts(library, templates))
    for name in library.tables:
        yield Plan(f"table {name}", partial(_table, templates, name))
    yield Plan("home", lambda library: [home_draft(library, templates)])


def _signature(templates: Templates, signature_id: str, library: Library) -> list[Draft]:
    return [signature_draft(library, templates, library.knowledge.signatures[signature_id])]


def _alias(templates: Templates, old: str, current: str, library: Library) -> list[Draft]:
    return [alias_draft(library, templates, old, current)]


def _session(templates: Templates, session_id: str, library: Library) -> list[Draft]:
    return [session_draft(library, templates, library.knowledge.sessions[session_id])]


def _fix(templates: Templates, slug: str, library: Library) -> list[Draft]:
    return [fix_draft(library, templates, library.fixes[slug])]


def _component(templates: Templates, name: str, library: Library) -> list[Draft]:
    return [component_draft(library, templates, library.components[name])]


def _tag(templates: Templates, name: str, library: Library) -> list[Draft]:
    return [tag_draft(library, templates, library.tags[name])]


def _table(templates: Templates, name: str, library: Library) -> list[Draft]:
    return [table_draft(library, templates, name)]
