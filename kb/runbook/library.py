"""All that pages look up: knowledge by signature and session, turned round by fix and by component."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeVar

from kb.knowledge.model import FixMade, Knowledge, RankedFix, SessionFacts, SignatureKnowledge
from kb.knowledge.versions import newest
from kb.runbook.lines.line_rules import LineRule, Lines
from kb.runbook.lookalikes import lookalikes
from kb.runbook.noted import Noted
from kb.runbook.phrases import helped, tries
from kb.runbook.reading import Kept, Reading, Record

Made = TypeVar("Made")

#: Rows of a page of an index table: it stays small on a phone's network.
ROWS = 45


@dataclass(frozen=True, slots=True)
class FixStory:
    """One fix over all sessions: where it was made, and what it did to which signatures (by id, best first)."""

    slug: str
    title: str
    kind: str
    made: tuple[tuple[str, FixMade], ...]
    against: tuple[tuple[str, RankedFix], ...]

    @property
    def helped(self) -> int:
        """Tries after which the failure was gone, over all signatures."""
        return sum(helped(fix) for _, fix in self.against)

    @property
    def tries(self) -> int:
        """Tries that were followed by a run, over all signatures."""
        return sum(tries(fix) for _, fix in self.against)


@dataclass(frozen=True, slots=True)
class ComponentStory:
    """One component over all sessions: the versions used, newest session first, and the signatures seen with it."""

    name: str
    versions: Mapping[str, tuple[str, ...]]
    sessions: tuple[str, ...]
    signatures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TagStory:
    """One tag: the sessions that have it, newest first, and the signatures seen in them, most frequent first."""

    name: str
    sessions: tuple[str, ...]
    signatures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TablePart:
    """One page of an index table: what its rows are about, its number from 1, and how many pages and rows there are."""

    rows: tuple[str, ...]
    number: int
    pages: int
    total: int


@dataclass(frozen=True, slots=True)
class Library:
    """Knowledge with the records behind it. `records` may lack a session whose file cannot be read any more;
    `alike` are the ids of the signatures that look like another. `newest` is when the newest session began, `versions`
    the newest version of each component. `tables` are the pages of the index tables by `section/number`, `lines` the
    rules by which a line is known as a signature. `noted` is what of this is only made when it is asked for."""

    knowledge: Knowledge
    records: Mapping[str, Record]
    fixes: Mapping[str, FixStory]
    components: Mapping[str, ComponentStory]
    alike: Mapping[str, tuple[str, ...]]
    newest: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, TagStory] = field(default_factory=dict)
    tables: Mapping[str, TablePart] = field(default_factory=dict)
    kept: Mapping[str, Kept] = field(default_factory=dict)
    lines: Mapping[str, tuple[LineRule, ...]] = field(default_factory=dict)
    noted: tuple[Noted[Any], ...] = ()

    def signature(self, signature_id: str) -> SignatureKnowledge | None:
        """What is known of a signature."""
        return self.knowledge.signatures.get(signature_id)

    def session(self, session_id: str) -> SessionFacts | None:
        """The facts of a session."""
        return self.knowledge.sessions.get(session_id)

    def today(self, last: str) -> date | None:
        """The day of the newest session, by which the age of evidence of the day `last` is told; None without any."""
        return date.fromisoformat(self.newest[:10]) if self.newest else None

    def shared(self, key: str, make: Callable[[], Made]) -> Made:
        """What `make` makes of what is looked up here: the same for all who ask by the same `key`."""
        return make()

    def title(self, signature_id: str) -> str:
        """The title of a signature, or its id where it is not known."""
        known = self.signature(signature_id)
        return known.signature.title if known else signature_id


def make_library(knowledge: Knowledge, records: Mapping[str, Record]) -> Library:
    """The library of `knowledge`; `records` are the sessions by id."""
    frequent, latest = by_frequency(knowledge), newest_first(knowledge)
    reading, lines = Reading(records), Lines(knowledge.signatures)
    fixes, stories, tags = _fixes(knowledge, latest), _components(frequent, latest), _tags(frequent, latest)
    return Library(
        knowledge=knowledge,
        records=reading,
        fixes=fixes,
        components=stories,
        alike=lookalikes(knowledge.signatures),
        newest=latest[0].started if latest else "",
        versions={name: newest(story.versions) for name, story in stories.items()},
        tags=tags,
        tables={
            **_parts("signatures", [known.signature.id for known in frequent]),
            **_parts("sessions", [facts.id for facts in latest]),
            **_parts("fixes", sorted(fixes, key=lambda slug: (-fixes[slug].helped, -fixes[slug].tries, slug))),
            **_parts("components", sorted(stories, key=lambda name: (-len(stories[name].sessions), name.lower()))),
            **_parts("tags", sorted(tags, key=lambda tag: (-len(tags[tag].sessions), -len(tags[tag].signatures), tag))),
        },
        kept=reading.kept,
        lines=lines,
        noted=(reading.noted, lines.noted),
    )


def _parts(section: str, rows: Sequence[str]) -> dict[str, TablePart]:
    """The pages of a table; one without rows has one page."""
    pages = max(1, -(-len(rows) // ROWS))
    return {
        f"{section}/{number}": TablePart(tuple(rows[ROWS * (number - 1) : ROWS * number]), number, pages, len(rows))
        for number in range(1, pages + 1)
    }


def _fixes(knowledge: Knowledge, latest: Sequence[SessionFacts]) -> dict[str, FixStory]:
    made: dict[str, list[tuple[str, FixMade]]] = defaultdict(list)
    against: dict[str, list[tuple[str, RankedFix]]] = defaultdict(list)
    for facts in latest:
        for fix in facts.fixes:
            made[fix.slug].append((facts.id, fix))
    for known in knowledge.signatures.values():
        for ranked in known.fixes:
            against[ranked.slug].append((known.signature.id, ranked))
    out: dict[str, FixStory] = {}
    for slug in sorted({*made, *against}):
        ranks = sorted(against[slug], key=lambda pair: (-pair[1].lower_bound, -helped(pair[1]), pair[0]))
        first = made[slug][0][1] if made[slug] else None
        title = first.title if first else ranks[0][1].title
        kind = first.kind if first else ranks[0][1].kind
        out[slug] = FixStory(slug, title or slug, kind, tuple(made[slug]), tuple(ranks))
    return out


def _components(frequent: Sequence[SignatureKnowledge], latest: Sequence[SessionFacts]) -> dict[str, ComponentStory]:
    versions: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    sessions: dict[str, list[str]] = defaultdict(list)
    signatures: dict[str, list[str]] = defaultdict(list)
    for facts in latest:
        for name, version in facts.components.items():
            versions[name][version].append(facts.id)
            sessions[name].append(facts.id)
    for known in frequent:
        for name in known.components:
            signatures[name].append(known.signature.id)
    return {
        name: ComponentStory(
            name,
            {version: tuple(ids) for version, ids in versions[name].items()},
            tuple(sessions[name]),
            tuple(signatures[name]),
        )
        for name in sorted({*sessions, *signatures})
    }


def _tags(frequent: Sequence[SignatureKnowledge], latest: Sequence[SessionFacts]) -> dict[str, TagStory]:
    sessions: dict[str, dict[str, None]] = defaultdict(dict)
    signatures: dict[str, list[str]] = defaultdict(list)
    for facts in latest:
        for tag in facts.tags:
            sessions[tag][facts.id] = None
    for known in frequent:
        for tag in known.tags:
            signatures[tag].append(known.signature.id)
    names = sorted({*sessions, *signatures})
    return {name: TagStory(name, tuple(sessions[name]), tuple(signatures[name])) for name in names}


def newest_first(knowledge: Knowledge) -> list[SessionFacts]:
    """All sessions, the latest started first."""
    return sorted(knowledge.sessions.values(), key=lambda facts: (facts.started, facts.id), reverse=True)


def by_frequency(knowledge: Knowledge) -> list[SignatureKnowledge]:
    """All signatures: root causes before symptoms, those that ended an attempt before those that merely stood beside
    another, then the most sessions, then the latest seen."""
    ordered = sorted(knowledge.signatures.values(), key=lambda known: known.signature.id)
    ordered.sort(key=lambda known: known.last_seen, reverse=True)
    ordered.sort(key=lambda known: (known.role != "root", not was_primary(known), -len(known.sessions)))
    return ordered


def was_primary(known: SignatureKnowledge) -> bool:
    """Whether an attempt ended in this failure, rather than only showing it beside another."""
    return any(seen.primary for _, seen in known.occurrences)


def best_fix(known: SignatureKnowledge) -> RankedFix | None:
    """The fix to try first: the best-ranked one that helped at least once."""
    return next((fix for fix in known.fixes if helped(fix)), None)


def fix_title(library: Library, fix: RankedFix) -> str:
    """The title of a fix, the same on every page."""
    story = library.fixes.get(fix.slug)
    return story.title if story else fix.title
