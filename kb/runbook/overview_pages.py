"""The pages about the whole knowledge base: what it holds in numbers, and what somebody should do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import NamedTuple

from markupsafe import Markup

from kb.knowledge.model import Regression, SignatureKnowledge
from kb.knowledge.stats import Stats, stats_of
from kb.runbook.charts import timeline
from kb.runbook.library import Library, newest_first
from kb.runbook.page import Draft
from kb.runbook.phrases import OUTCOME, RESOLUTION, STRENGTH, count, day, span
from kb.runbook.templating import Templates
from kb.runbook.views import LinkView, component_link, fix_link, session_link, signature_link

#: How many rows each list shows.
ROWS, TOP = 30, 10

#: How a try says that clean runs are missing for a proof.
_MISSING = "are missing"


class StatisticsView(NamedTuple):
    """What the page of numbers shows: counts in words, charts, and the most frequent of each."""

    sessions: int
    first: str
    last: str
    time: Markup
    resolutions: tuple[tuple[str, str, int], ...]
    roots: int
    symptoms: int
    merged: int
    fixes: tuple[tuple[str, int], ...]
    tries: tuple[tuple[str, int], ...]
    strengths: tuple[tuple[str, int], ...]
    chains: int
    resolve: tuple[tuple[str, str, int], ...]
    most_seen: tuple[tuple[LinkView, int, str], ...]
    components: tuple[tuple[LinkView, int, str], ...]


class TaskView(NamedTuple):
    """One thing to do: about what, with which fix, in which session, and why."""

    about: LinkView
    fix: LinkView | None
    session: LinkView | None
    why: str


class TasksView(NamedTuple):
    """One list of the work queue: its anchor and heading, what to do, the first rows, and how many there are."""

    anchor: str
    title: str
    what: str
    rows: tuple[TaskView, ...]
    total: int


def overview_drafts(library: Library, templates: Templates) -> Iterator[Draft]:
    """The pages of statistics and of open work. What is old is so by the day of the newest session: a page depends on
    what is recorded, not on when it is built."""
    today = date.fromisoformat(library.newest[:10]) if library.newest else date.min
    stats = stats_of(library.knowledge, today)
    view = _statistics(library, stats)
    yield templates.draft("statistics", "statistics/", "Statistics", view)
    tasks = tuple(one for one in _tasks(library, stats) if one.total)
    yield templates.draft("work", "work/", "Open work", tasks, tuple((one.anchor, one.title) for one in tasks))


def _statistics(library: Library, stats: Stats) -> StatisticsView:
    names = {"fixed": "fixed it", "progressed": "only got past it", "failed": "dead ends", "unverified": "not verified"}
    return StatisticsView(
        sessions=stats.sessions,
        first=day(stats.first),
        last=day(stats.last),
        time=timeline(facts.started for facts in newest_first(library.knowledge)),
        resolutions=tuple((name, RESOLUTION.get(name, name), number) for name, number in stats.resolutions.items()),
        roots=stats.signatures["root"],
        symptoms=stats.signatures["symptom"],
        merged=stats.merged,
        fixes=tuple((names[name], number) for name, number in stats.fixes.items()),
        tries=tuple((OUTCOME[name], number) for name, number in stats.tries.items()),
        strengths=tuple((_strength(name), number) for name, number in stats.strengths.items()),
        chains=stats.chains,
        resolve=tuple(
            (RESOLUTION.get(name, name) or "all that ended", span(times.median), times.n)
            for name, times in stats.resolve.items()
            if times.n
        ),
        most_seen=tuple(
            (signature_link(library, one.signature.id), len(one.sessions), day(one.last_seen))
            for one in stats.most_seen[:TOP]
        ),
        components=tuple(
            (component_link(library, name), number, newest) for name, number, newest in stats.components[:TOP]
        ),
    )


def _strength(name: str) -> str:
    return next((words for strength, words in STRENGTH.items() if strength == name), name)


def _tasks(library: Library, stats: Stats) -> Iterator[TasksView]:
    """The lists, the most urgent first."""
    back = [_back(library, signature_id, one) for signature_id, one in stats.regressions]
    retest = [
        TaskView(signature_link(library, one.signature), fix_link(library, one.fix), None, one.why)
        for one in stats.retest
    ]
    still = [
        TaskView(session_link(library, one.id), None, None, f"since {day(one.started)}") for one in stats.open_sessions
    ]
    yield _list("open-sessions", "Sessions still open", "Finish them, or say why they were given up.", still)
    yield _list("came-back", "Failures that came back", "A fix that helped no longer does.", back)
    missing = "The failure came and went before the fix: only so many clean runs prove anything."
    yield _list("missing-runs", "Runs that are missing", missing, _missing(library))
    unverified = "Nothing was run after them. Try the same again and record the attempt."
    yield _list("unverified", "Fixes that nobody verified", unverified, _unverified(library))
    without = "Attempts ended in them, and nothing has helped yet; the most seen first."
    yield _list("no-fix", "Signatures without a fix", without, _seen(library, stats.open))
    yield _list("retest", "Worth a new test", "The evidence is old.", retest)
    gone = "Perhaps they are gone for good."
    yield _list("unseen", "Not seen for more than a year", gone, _seen(library, stats.unseen))


def _seen(library: Library, signatures: Iterable[SignatureKnowledge]) -> Iterator[TaskView]:
    for one in signatures:
        why = f"{count(len(one.sessions), 'session')}, last {day(one.last_seen)}"
        yield TaskView(signature_link(library, one.signature.id), None, None, why)


def _list(anchor: str, title: str, what: str, rows: Iterable[TaskView]) -> TasksView:
    each = tuple(rows)
    return TasksView(anchor, title, what, each[:ROWS], len(each))


def _back(library: Library, signature_id: str, one: Regression) -> TaskView:
    now = ", ".join(f"{name} {version}" for name, version in one.now.items())
    why = f"{day(one.started)}, with {now}" if now else day(one.started)
    return TaskView(
        signature_link(library, signature_id), fix_link(library, one.fix), session_link(library, one.session), why
    )


def _missing(library: Library) -> Iterator[TaskView]:
    for facts in newest_first(library.knowledge):
        for tried in facts.tries:
            if tried.outcome == "unverified" and tried.because.endswith(_MISSING):
                yield TaskView(
                    signature_link(library, tried.signature_id),
                    fix_link(library, tried.fix),
                    session_link(library, facts.id),
                    tried.because,
                )


def _unverified(library: Library) -> Iterator[TaskView]:
    for facts in newest_first(library.knowledge):
        for tried in facts.tries:
            known = library.signature(tried.signature_id)
            ranked = next((fix for fix in known.fixes if fix.slug == tried.fix), None) if known else None
            never = ranked is not None and not (ranked.fixed or ranked.progressed or ranked.failed)
            if tried.outcome == "unverified" and never and not tried.because.endswith(_MISSING):
                yield TaskView(
                    signature_link(library, tried.signature_id),
                    fix_link(library, tried.fix),
                    session_link(library, facts.id),
                    tried.because,
                )
