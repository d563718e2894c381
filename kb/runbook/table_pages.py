"""The index tables: all signatures, sessions, fixes, components and tags, some rows a page; and the home page."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kb.runbook.library import Library, by_frequency, newest_first, was_primary
from kb.runbook.page import Draft, Kind
from kb.runbook.templating import Templates
from kb.runbook.urls import component_url, table_url, tag_url
from kb.runbook.views import LinkView, SessionRow, SignatureRow, fix_link, session_row, signature_row

#: Rows of each list on the home page.
TOP = 8
#: How many pages before and after the one shown are linked, beside the first and the last.
NEAR = 3


class FixRow(NamedTuple):
    """A fix as a row."""

    link: LinkView
    slug: str
    kind: str
    helped: int
    tries: int
    signatures: int
    sessions: int


class ComponentRow(NamedTuple):
    """A component as a row."""

    link: LinkView
    versions: int
    signatures: int
    sessions: int


class TagRow(NamedTuple):
    """A tag as a row."""

    link: LinkView
    signatures: int
    sessions: int


class TableView(NamedTuple):
    """One page of a table."""

    title: str
    total: int
    rows: tuple[object, ...]
    number: int
    pages: tuple[LinkView, ...]


class HomeView(NamedTuple):
    """What the home page shows below the box."""

    signatures: int
    sessions: int
    proven: int
    top: tuple[SignatureRow, ...]
    newest: tuple[SessionRow, ...]


def table_draft(library: Library, templates: Templates, name: str) -> Draft:
    """The page of an index table that goes by `name` in the library."""
    section = name.partition("/")[0]
    kind, title, row = SECTIONS[section]
    part = library.tables[name]
    shown = sorted({1, part.pages, *range(max(1, part.number - NEAR), min(part.pages, part.number + NEAR) + 1)})
    links = tuple(LinkView(str(one), table_url(section, one)) for one in shown)
    view = TableView(title, part.total, tuple(row(library, one) for one in part.rows), part.number, links)
    url = table_url(section, part.number)
    return templates.draft(kind, url, title if part.number == 1 else f"{title}, page {part.number}", view)


def home_draft(library: Library, templates: Templates) -> Draft:
    """What kb adds to the hand-written home page: the most frequent failures and the newest sessions."""
    knowledge = library.knowledge
    roots = [known for known in by_frequency(knowledge) if known.role == "root" and was_primary(known)]
    top = tuple(signature_row(library, known) for known in roots[:TOP])
    view = HomeView(
        signatures=len(knowledge.signatures),
        sessions=len(knowledge.sessions),
        proven=sum(1 for story in library.fixes.values() if story.helped),
        top=top,
        newest=tuple(session_row(library, facts) for facts in newest_first(knowledge)[:TOP]),
    )
    return templates.draft("home", "", "", view)


def _signature_row(library: Library, signature_id: str) -> SignatureRow:
    return signature_row(library, library.knowledge.signatures[signature_id])


def _session_row(library: Library, session_id: str) -> SessionRow:
    return session_row(library, library.knowledge.sessions[session_id])


def _fix_row(library: Library, slug: str) -> FixRow:
    story = library.fixes[slug]
    return FixRow(
        link=fix_link(library, slug),
        slug=slug,
        kind=story.kind,
        helped=story.helped,
        tries=story.tries,
        signatures=len(story.against),
        sessions=len({session for session, _ in story.made}),
    )


def _component_row(library: Library, name: str) -> ComponentRow:
    story = library.components[name]
    return ComponentRow(
        link=LinkView(name, component_url(name)),
        versions=len(story.versions),
        signatures=len(story.signatures),
        sessions=len(story.sessions),
    )


def _tag_row(library: Library, name: str) -> TagRow:
    story = library.tags[name]
    return TagRow(LinkView(name, tag_url(name)), len(story.signatures), len(story.sessions))


#: The index tables: the kind of their pages, their title, and what makes a row of the name of something.
SECTIONS: dict[str, tuple[Kind, str, Callable[[Library, str], object]]] = {
    "signatures": ("signatures", "Signatures", _signature_row),
    "sessions": ("sessions", "Sessions", _session_row),
    "fixes": ("fixes", "Fixes", _fix_row),
    "components": ("components", "Components", _component_row),
    "tags": ("tags", "Tags", _tag_row),
}
