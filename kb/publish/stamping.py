"""Carrying out the plans of pages: those whose sources are as they were are taken over, the others stamped anew.

A page is made of what it looks up and of nothing else, so very many are made in several processes. Those that read
records come first: what the others ask of a record is kept then, and known to all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from kb.errors import SiteError
from kb.publish.output import Output
from kb.publish.theme import Theme
from kb.publish.traces import Trace, Traces, code
from kb.runbook.pages import Plan
from kb.runbook.templating import Templates
from kb.runbook.watching import ALL, SESSIONS, Watch
from kb.workers import done, processes

#: Where kb's content goes on the hand-written home page.
HOME_MARK = '<div id="kb-home"></div>'
#: With fewer plans it is not worth it to start other processes; so many are sent back at once.
FEWEST, UNIT = 400, 40


class _Unit(NamedTuple):
    """What was made of some plans: their traces, how many files were written, and what was noted for other pages."""

    traces: list[Trace]
    written: int
    news: list[dict[str, object]]


class Stamper:
    """Fills `output` with pages; `pages` counts them."""

    def __init__(self, theme: Theme, templates: Templates, output: Output, watch: Watch, traces: Traces) -> None:
        self.pages = 0
        self._theme = theme
        self._templates = templates
        self._output = output
        self._watch = watch
        self._traces = traces
        self._look = f"{theme.shell.key}\0{templates.fingerprint}\0{code()}"

    def carry_out(self, plans: Sequence[Plan]) -> Iterator[int]:
        """Make the pages of `plans`, unless they are there already; the number of those that are done, as it grows."""
        traces = {plan.name: trace for plan in plans if (trace := self._as_before(plan))}
        if traces:
            yield len(traces)
        for plan, trace in self._made([plan for plan in plans if plan.name not in traces]):
            traces[plan.name] = trace
            yield len(traces)
        for plan in plans:
            self._traces.keep(plan.name, traces[plan.name])
            self.pages += len(traces[plan.name].urls)

    def _as_before(self, plan: Plan) -> Trace | None:
        """The trace of a plan whose pages are there already, which are taken over."""
        trace = self._traces.before(plan.name)
        if not trace or self._watch.digest_of(trace.notes) != trace.digest or not self._all_there(trace):
            return None
        return trace

    def _made(self, plans: Sequence[Plan]) -> Iterator[tuple[Plan, Trace]]:
        """Make the pages of `plans`, and give each with its trace."""
        if len(plans) < FEWEST or processes() == 1:
            yield from ((plan, self._make(plan)) for plan in plans)
            return
        for reading in (True, False):
            some = [plan for plan in plans if plan.reads is reading]
            # What must be compiled for the first is known to the others.
            yield from ((plan, self._make(plan)) for plan in some[:UNIT])
            units = [some[at : at + UNIT] for at in range(UNIT, len(some), UNIT)]
            self._news()
            with closing(done(units, self._unit)) as results:
                for unit, result in zip(units, results, strict=True):
                    yield from self._taken(unit, result)

    def _unit(self, plans: Sequence[Plan]) -> _Unit:
        """Make the pages of some plans for another process."""
        before, self._output.written = self._output.written, 0
        traces = [self._make(plan) for plan in plans]
        written, self._output.written = self._output.written, before
        return _Unit(traces, written, self._news())

    def _taken(self, plans: Sequence[Plan], made: _Unit) -> Iterator[tuple[Plan, Trace]]:
        """Take over what another process made."""
        self._output.written += made.written
        for noted, news in zip(self._watch.noted, made.news, strict=True):
            noted.learn(news)
        for plan, trace in zip(plans, made.traces, strict=True):
            for url in trace.urls:
                self._output.adopt(_name(url), self._key(trace.digest))
            yield plan, trace

    def _news(self) -> list[dict[str, object]]:
        return [noted.news() for noted in self._watch.noted]

    def remembered(self, session_id: str, make: Callable[[], str]) -> str:
        """The text by which a session is found; its record is not read for it again when nothing in it has changed."""
        digest = self._watch.digest(f"{SESSIONS}|{session_id}")
        text = self._traces.text(session_id, digest)
        if text is None:
            text = make()
        self._traces.keep_text(session_id, digest, text)
        return text

    def _all_there(self, trace: Trace) -> bool:
        return bool(trace.urls) and all(self._output.reuse(_name(url), self._key(trace.digest)) for url in trace.urls)

    def _make(self, plan: Plan) -> Trace:
        """Render and write the pages of `plan`, and note what was looked up for them."""
        notes = self._watch.notes
        notes.clear()
        try:
            made = [(draft, draft.render()) for draft in plan.make(self._watch.library)]
        except SiteError as error:
            said = f"{error.message}, while {plan.name} was made"
            raise SiteError(said, location=error.location, hint=error.hint) from error
        looked = (ALL,) if ALL in notes else tuple(sorted(notes))
        digest = self._watch.digest_of(looked)
        for draft, page in made:
            if draft.kind == "home":
                written = (self._theme.folder / "index.html").read_text("utf-8")
                html: str | bytes = written.replace(HOME_MARK, page.body, 1)
            else:
                html = self._theme.shell.stamp(page)
            self._output.write(_name(draft.url), html, self._key(digest))
        return Trace(digest, looked, tuple(draft.url for draft, _ in made))

    def _key(self, digest: str) -> str:
        return hashlib.sha256(f"{digest}\0{self._look}".encode()).hexdigest()[:20]


def _name(url: str) -> str:
    return f"{url}index.html"
