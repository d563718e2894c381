"""The pages of a fix, of a component and of a tag: where it was made or used, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from kb.runbook.library import ComponentStory, FixStory, Library, TagStory
from kb.runbook.page import Draft
from kb.runbook.templating import Templates
from kb.runbook.urls import component_url, fix_url, tag_url
from kb.runbook.views import (
    FixView,
    LinkView,
    SessionRow,
    SignatureRow,
    fix_view,
    session_link,
    session_row,
    signature_link,
    signature_row,
)

#: How many rows a page shows before it says how many more there are, how many forms of a fix, how many versions, and
#: how many sessions of each.
ROWS, FORMS, VERSIONS, EACH = 20, 6, 15, 3


class FormView(NamedTuple):
    """One way in which a fix was spelled out, with the sessions that did so."""

    target: str
    applies: str
    prose: str
    blocks: tuple[tuple[str, str], ...]
    sessions: tuple[tuple[LinkView, str], ...]


class FixPageView(NamedTuple):
    """All that a fix's page shows."""

    story: FixStory
    against: tuple[tuple[LinkView, FixView], ...]
    unshown: int
    forms: tuple[FormView, ...]


class ComponentPageView(NamedTuple):
    """All that a component's page shows."""

    name: str
    versions: tuple[tuple[str, tuple[LinkView, ...], int], ...]
    signatures: tuple[SignatureRow, ...]
    more_signatures: int
    sessions: tuple[SessionRow, ...]
    more_sessions: int
    more_versions: int


class TagPageView(NamedTuple):
    """All that a tag's page shows."""

    name: str
    signatures: tuple[SignatureRow, ...]
    more_signatures: int
    sessions: tuple[SessionRow, ...]
    more_sessions: int


def there(headings: Iterable[tuple[str, str, bool]]) -> tuple[tuple[str, str], ...]:
    """The (anchor, title) of the headings that are present."""
    return tuple((anchor, title) for anchor, title, present in headings if present)


def fix_draft(library: Library, templates: Templates, story: FixStory) -> Draft:
    """The page of a fix."""
    url = fix_url(story.slug)
    shown = story.against[:ROWS]
    against = tuple((signature_link(library, one), fix_view(library, one, ranked)) for one, ranked in shown)
    forms = tuple(islice(_forms(library, story), FORMS))
    view = FixPageView(story, against, len(story.against) - len(shown), forms)
    headings = (
        ("how", "How to make it", bool(view.forms)),
        ("does", "What it did", bool(view.against)),
        ("forms", "How others made it", len(view.forms) > 1),
    )
    return templates.draft("fix", url, story.title, view, there(headings))


def _forms(library: Library, story: FixStory) -> Iterator[FormView]:
    """The different ways the fix was spelled out, the newest first; sessions that agree share one."""
    sessions: dict[tuple[str, str, str, tuple[tuple[str, str], ...]], list[str]] = {}
    for session_id, made in story.made:
        sessions.setdefault((made.target, made.applies, made.prose, made.blocks), []).append(session_id)
    for (target, applies, prose, blocks), ids in sessions.items():
        links = []
        for session_id in ids:
            facts = library.session(session_id)
            links.append((session_link(library, session_id), facts.started[:10] if facts else ""))
        yield FormView(target, applies, prose, blocks, tuple(links[:EACH]))


def component_draft(library: Library, templates: Templates, story: ComponentStory) -> Draft:
    """The page of a component."""
    url = component_url(story.name)
    known, more_signatures = _signatures(library, story.signatures)
    sessions, more_sessions = _sessions(library, story.sessions)
    versions = list(story.versions.items())
    view = ComponentPageView(
        name=story.name,
        versions=tuple(
            (version, tuple(session_link(library, one) for one in ids[:EACH]), max(0, len(ids) - EACH))
            for version, ids in versions[:VERSIONS]
        ),
        signatures=known,
        more_signatures=more_signatures,
        sessions=sessions,
        more_sessions=more_sessions,
        more_versions=max(0, len(versions) - VERSIONS),
    )
    headings = (
        ("signatures", "Signatures seen with it", bool(view.signatures)),
        ("sessions", "Sessions", bool(view.sessions)),
        ("versions", "Versions", bool(view.versions)),
    )
    return templates.draft("component", url, story.name, view, there(headings))


def tag_draft(library: Library, templates: Templates, story: TagStory) -> Draft:
    """The page of a tag."""
    url = tag_url(story.name)
    known, more_signatures = _signatures(library, story.signatures)
    sessions, more_sessions = _sessions(library, story.sessions)
    view = TagPageView(story.name, known, more_signatures, sessions, more_sessions)
    headings = (
        ("signatures", "Signatures seen with it", bool(known)),
        ("sessions", "Sessions", bool(sessions)),
    )
    return templates.draft("tag", url, story.name, view, there(headings))


def _signatures(library: Library, ids: tuple[str, ...]) -> tuple[tuple[SignatureRow, ...], int]:
    """The first rows, and how many more there are."""
    known = [one for one in (library.signature(signature_id) for signature_id in ids[:ROWS]) if one]
    return tuple(signature_row(library, one) for one in known), max(0, len(ids) - ROWS)


def _sessions(library: Library, ids: tuple[str, ...]) -> tuple[tuple[SessionRow, ...], int]:
    facts = [one for one in (library.session(session_id) for session_id in ids[:ROWS]) if one]
    return tuple(session_row(library, one) for one in facts), max(0, len(ids) - ROWS)
