"""Carrying out the plans of pages: those whose sources are as they were are taken over, the others stamped anew."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from kb.publish.output import Output
from kb.publish.theme import Theme
from kb.publish.traces import Trace, Traces, code
from kb.runbook.pages import Plan
from kb.runbook.templating import Templates
from kb.runbook.watching import ALL, SESSIONS, Watch

#: Where kb's content goes on the hand-written home page.
HOME_MARK = '<div id="kb-home"></div>'


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

    def carry_out(self, plan: Plan) -> None:
        """Make the pages of `plan`, unless they are there already."""
        trace = self._traces.before(plan.name)
        if not trace or self._watch.digest_of(trace.notes) != trace.digest or not self._all_there(trace):
            trace = self._make(plan)
        self._traces.keep(plan.name, trace)
        self.pages += len(trace.urls)

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
        made = [(draft, draft.render()) for draft in plan.make(self._watch.library)]
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
