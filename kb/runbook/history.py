"""What happened to a signature over time: first seen, what first helped, what came back; and with what it was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kb.knowledge.model import SessionFacts, SignatureKnowledge
from kb.runbook.library import Library
from kb.runbook.phrases import day
from kb.runbook.views import LinkView, component_link, fix_link, session_link

#: How many events, names and values of each are shown.
EVENTS, NAMES, VALUES = 16, 10, 8


class EventView(NamedTuple):
    """One event: its day, what happened, with which fix, and in which session."""

    day: str
    what: str
    fix: LinkView | None
    session: LinkView


class SeenWith(NamedTuple):
    """A component or a fact of the environment, with its values and in how many sessions each was so."""

    name: LinkView
    values: tuple[tuple[str, int], ...]
    unshown: int


def history(library: Library, known: SignatureKnowledge) -> tuple[EventView, ...]:
    """The events of a signature, the oldest first; of many, the first and the newest."""
    events = sorted(_events(library, known), key=lambda event: event.day)
    return tuple(events if len(events) <= EVENTS else [events[0], *events[1 - EVENTS :]])


def _events(library: Library, known: SignatureKnowledge) -> Iterator[EventView]:
    facts = sorted(_sessions(library, known), key=lambda one: (one.started, one.id))
    if facts:
        yield EventView(day(facts[0].started), "first seen", None, session_link(library, facts[0].id))
    if len(facts) > 1:
        yield EventView(day(facts[-1].started), "last seen", None, session_link(library, facts[-1].id))
    helped: set[str] = set()
    for one in facts:
        for tried in one.tries:
            if tried.signature_id != known.signature.id or tried.fix in helped:
                continue
            if tried.outcome in ("fixed", "progressed"):
                helped.add(tried.fix)
                what = "first fixed by" if tried.outcome == "fixed" else "first got past with"
                yield EventView(day(one.started), what, fix_link(library, tried.fix), session_link(library, one.id))
    for back in known.regressions:
        yield EventView(
            day(back.started), "came back after", fix_link(library, back.fix), session_link(library, back.session)
        )


def _sessions(library: Library, known: SignatureKnowledge) -> list[SessionFacts]:
    return [one for one in (library.session(session) for session in known.sessions) if one]


def seen_with(library: Library, facts: Sequence[SessionFacts]) -> tuple[SeenWith, ...]:
    """The components of some sessions with their versions, then their environments, each counted by session."""
    versions: dict[str, Counter[str]] = {}
    around: dict[str, Counter[str]] = {}
    for one in facts:
        for name, version in one.components.items():
            versions.setdefault(name, Counter())[version] += 1
        for name, value in one.environment.items():
            around.setdefault(name, Counter())[value] += 1
    return (
        *(_row(component_link(library, name), counted) for name, counted in list(versions.items())[:NAMES]),
        *(_row(LinkView(name, ""), counted) for name, counted in list(around.items())[:NAMES]),
    )


def _row(name: LinkView, counted: Counter[str]) -> SeenWith:
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return SeenWith(name, tuple(ordered[:VALUES]), max(0, len(ordered) - VALUES))
