"""The index tables: all signatures, sessions, fixes, components and tags, some rows a page; and the home page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.runbook.library import Library, by_frequency, newest_first, was_primary
from kb.runbook.page import Draft, Kind
from kb.runbook.templating import Templates
from kb.runbook.urls import component_url, table_url, tag_url
from kb.runbook.views import LinkView, SessionRow, SignatureRow, fix_link, session_row, signature_row

#: Rows of a table page (a page stays small on a phone's network), and of each list on the home page.
ROWS, TOP = 45, 8
#: How many pages before and after the one shown are linked, beside the first and the last.
NEAR = 3


@dataclass(frozen=True, slots=True)
class FixRow:
    """A fix as a row."""

    link: LinkView
    slug: str
    kind: str
    helped: int
    tries: int
    signatures: int
    sessions: int


@dataclass(frozen=True, slots=True)
class ComponentRow:
    """A component as a row."""

    link: LinkView
    versions: int
    signatures: int
    sessions: int


@dataclass(frozen=True, slots=True)
class TagRow:
    """A tag as a row."""

    link: LinkView
    signatures: int
    sessions: int


@dataclass(frozen=True, slots=True)
class TableView:
    """One page of a table."""

    title: str
    total: int
    rows: tuple[object, ...]
    number: int
    pages: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class HomeView:
    """What the home page shows below the box."""

    signatures: int
    sessions: int
    proven: int
    top: tuple[SignatureRow, ...]
    newest: tuple[SessionRow, ...]


def table_drafts(library: Library, templates: Templates) -> Iterator[Draft]:
    """All index pages."""
    knowledge = library.knowledge
    signatures = [signature_row(library, known) for known in by_frequency(knowledge)]
    sessions = [session_row(library, facts) for facts in newest_first(knowledge)]
    yield from _table(templates, "signatures", "Signatures", signatures)
    yield from _table(templates, "sessions", "Sessions", sessions)
    yield from _table(templates, "fixes", "Fixes", _fix_rows(library))
    yield from _table(templates, "components", "Components", _component_rows(library))
    yield from _table(templates, "tags", "Tags", _tag_rows(library))


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


def _table(templates: Templates, kind: Kind, title: str, rows: Sequence[object]) -> Iterator[Draft]:
    parts = [tuple(rows[start : start + ROWS]) for start in range(0, len(rows), ROWS)] or [()]
    for number, part in enumerate(parts, 1):
        shown = sorted({1, len(parts), *range(max(1, number - NEAR), min(len(parts), number + NEAR) + 1)})
        links = tuple(LinkView(str(one), table_url(kind, one)) for one in shown)
        yield _table_draft(templates, kind, TableView(title, len(rows), part, number, links))


def _table_draft(templates: Templates, kind: Kind, view: TableView) -> Draft:
    url = table_url(kind, view.number)
    return templates.draft(kind, url, view.title if view.number == 1 else f"{view.title}, page {view.number}", view)


def _fix_rows(library: Library) -> list[FixRow]:
    rows = [
        FixRow(
            link=fix_link(library, story.slug),
            slug=story.slug,
            kind=story.kind,
            helped=story.helped,
            tries=story.tries,
            signatures=len(story.against),
            sessions=len({session for session, _ in story.made}),
        )
        for story in library.fixes.values()
    ]
    return sorted(rows, key=lambda row: (-row.helped, -row.tries, row.slug))


def _component_rows(library: Library) -> list[ComponentRow]:
    rows = [
        ComponentRow(
            link=LinkView(story.name, component_url(story.name)),
            versions=len(story.versions),
            signatures=len(story.signatures),
            sessions=len(story.sessions),
        )
        for story in library.components.values()
    ]
    return sorted(rows, key=lambda row: (-row.sessions, row.link.title.lower()))


def _tag_rows(library: Library) -> list[TagRow]:
    rows = [
        TagRow(LinkView(story.name, tag_url(story.name)), len(story.signatures), len(story.sessions))
        for story in library.tags.values()
    ]
    return sorted(rows, key=lambda row: (-row.sessions, -row.signatures, row.link.title.lower()))
