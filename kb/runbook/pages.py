"""Knowledge to pages: the runbook as a stream of pages, none of which knows how it will be published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kb.home import Home
from kb.knowledge.model import Knowledge
from kb.record.model import Session
from kb.runbook.alias_page import alias_draft
from kb.runbook.library import Library, by_frequency, make_library, newest_first
from kb.runbook.overview_pages import overview_drafts
from kb.runbook.page import Draft, Page
from kb.runbook.session_page import session_draft
from kb.runbook.signature_page import signature_draft
from kb.runbook.story_pages import component_draft, fix_draft, tag_draft
from kb.runbook.table_pages import home_draft, table_drafts
from kb.runbook.templating import Templates


def pages(knowledge: Knowledge, records: Mapping[str, Session], home: Home | None = None) -> Iterator[Page]:
    """All pages of the runbook, rendered.

    `records` are the sessions of `knowledge` by id; `home` is where a knowledge base keeps templates of its own.
    Raises `SiteError` when a template cannot be rendered.
    """
    templates = Templates(home, knowledge.sessions.keys())
    for draft in drafts(make_library(knowledge, records), templates):
        yield draft.render()


def drafts(library: Library, templates: Templates) -> Iterator[Draft]:
    """All pages of the runbook, not rendered yet; no two have the same address."""
    knowledge = library.knowledge
    for known in by_frequency(knowledge):
        yield signature_draft(library, templates, known)
    for old, current in knowledge.aliases.items():
        if old not in knowledge.signatures and current in knowledge.signatures:
            yield alias_draft(library, templates, old, current)
    for facts in newest_first(knowledge):
        yield session_draft(library, templates, facts)
    for fix in library.fixes.values():
        yield fix_draft(library, templates, fix)
    for component in library.components.values():
        yield component_draft(library, templates, component)
    for tag in library.tags.values():
        yield tag_draft(library, templates, tag)
    yield from overview_drafts(library, templates)
    yield from table_drafts(library, templates)
    yield home_draft(library, templates)
