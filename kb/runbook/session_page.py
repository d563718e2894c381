"""The page of a session: what was wanted, each attempt in order with what it showed, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kb.failures.model import Role
from kb.knowledge.model import SessionFacts
from kb.record.model import Console, Log
from kb.runbook.library import Library
from kb.runbook.page import Draft
from kb.runbook.phrases import span
from kb.runbook.reading import Record
from kb.runbook.session_steps import StepView, lines_each, step_views, telling_steps
from kb.runbook.templating import Templates
from kb.runbook.urls import session_url
from kb.runbook.views import LinkView, SessionRow, session_row, signature_link

#: How many attempts, steps of all of them, and failures of one a page tells of; the record has all.
ATTEMPTS, STEPS, FAILURES = 20, 40, 6


class FailureLine(NamedTuple):
    """One failure that an attempt showed."""

    link: LinkView
    role: Role
    primary: bool
    because: tuple[str, ...]


class AttemptView(NamedTuple):
    """One attempt. `state` is "failed" (it showed a failure), "clean" (it ran and showed none) or "quiet".

    `passed` says how many attempts before it are left out, `unshown` how many of its failures.
    """

    number: int
    anchor: str
    title: str
    reruns: int
    took: str
    state: str
    failures: tuple[FailureLine, ...]
    steps: tuple[StepView, ...]
    passed: int = 0
    unshown: int = 0

    @property
    def primary(self) -> FailureLine | None:
        """The failure that this attempt ended in."""
        return next((line for line in self.failures if line.primary), None)


class SessionView(NamedTuple):
    """All that the template shows; without a readable record the attempts have no steps."""

    facts: SessionFacts
    row: SessionRow
    introduction: str
    closing: str
    attempts: tuple[AttemptView, ...]
    complete: bool

    @property
    def numbers(self) -> tuple[int, ...]:
        """The attempts that this page tells of."""
        return tuple(view.number for view in self.attempts)

    @property
    def toc(self) -> tuple[tuple[str, str], ...]:
        """The headings that this page has."""
        attempts = tuple((view.anchor, f"{view.number}. {view.title}") for view in self.attempts)
        return (*attempts, ("resolution", "How it ended"))


def session_draft(library: Library, templates: Templates, facts: SessionFacts) -> Draft:
    """The page of one session."""
    url = session_url(facts.id)
    view = session_view(library, facts)
    return templates.draft("session", url, facts.title, view, view.toc)


def session_view(library: Library, facts: SessionFacts) -> SessionView:
    """Everything the page says of one session."""
    record = library.records.get(facts.id)
    return SessionView(
        facts=facts,
        row=session_row(library, facts),
        introduction=record.introduction if record else facts.summary,
        closing=record.closing if record else "",
        attempts=tuple(_attempts(library, facts, record)),
        complete=record is not None,
    )


def _attempts(library: Library, facts: SessionFacts, record: Record | None) -> Iterator[AttemptView]:
    shown = _telling_attempts(facts)
    attempts = {place: record.attempts[place] for place in shown if record and place < len(record.attempts)}
    steps_in_all = [step for attempt in attempts.values() for step in attempt.steps]
    lines = lines_each(sum(isinstance(step, Console | Log) for step in steps_in_all))
    views = {place: step_views(library, facts, place + 1, one.steps, lines) for place, one in attempts.items()}
    steps = telling_steps(views, STEPS)
    before = -1
    for place in shown:
        number = place + 1
        attempt = attempts.get(place)
        failures = tuple(_failures(library, facts, number))
        ran = any(step.kind in ("console", "log") for step in views.get(place, ()))
        seconds = facts.attempt_seconds[place] if place < len(facts.attempt_seconds) else 0
        yield AttemptView(
            number=number,
            anchor=f"attempt-{number}",
            title=facts.attempts[place],
            reruns=(attempt.reruns or 0) if attempt else 0,
            took=span(seconds) if seconds else "",
            state="failed" if failures else "clean" if ran else "quiet",
            failures=failures[:FAILURES],
            steps=steps.get(place, ()),
            passed=place - before - 1,
            unshown=max(0, len(failures) - FAILURES),
        )
        before = place


def _telling_attempts(facts: SessionFacts) -> list[int]:
    """The places of the attempts that a page tells of: the first and the last, those before which something was changed
    or after, and those that end otherwise than the one before, as far as there is room."""
    every = range(len(facts.attempts))
    if len(every) <= ATTEMPTS:
        return list(every)
    ends = {one.attempt: one.signature.id for one in facts.occurrences if one.primary}
    changed = {number for one in facts.tries for number in (one.attempt, one.attempt + 1)}

    def rank(place: int) -> tuple[bool, bool, bool, int]:
        number = place + 1
        other = ends.get(number) != ends.get(place)
        return (place not in (0, len(every) - 1), number not in changed, not other, place)

    return sorted(sorted(every, key=rank)[:ATTEMPTS])


def _failures(library: Library, facts: SessionFacts, number: int) -> Iterator[FailureLine]:
    seen: set[str] = set()
    order: dict[Role, int] = {"root": 0, "cascade": 1, "wrapper": 2, "teardown": 3}
    mine = [one for one in facts.occurrences if one.attempt == number]
    for one in sorted(mine, key=lambda occurrence: (not occurrence.primary, order[occurrence.role])):
        if one.signature.id not in seen:
            seen.add(one.signature.id)
            link = signature_link(library, one.signature.id)
            yield FailureLine(link, one.role, one.primary, one.failure.because)
