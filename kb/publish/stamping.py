"""Carrying out the plans of pages: those whose sources are as they were are taken over, the others stamped anew."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from kb.publish.output import Output
from kb.publish.theme import Theme
from kb.publish.traces import Made, Trace, Traces, code
from kb.runbook.page import Draft
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
        before = self._traces.before(plan.name)
        if before and self._watch.digest_of(before.notes) == before.digest and self._all_there(before):
            self.pages += len(before.drafts)
            self._traces.keep(plan.name, before)
            return
        notes = self._watch.notes
        notes.clear()
        drafted = list(plan.make(self._watch.library))
        looked = set(notes)
        earlier = {made.url: made.rendered for made in before.drafts} if before else {}
        made = tuple(self._stamp(draft, earlier.get(draft.url, ())) for draft in drafted)
        looked.update(note for one in made for note in one.rendered)
        taken = (ALL,) if ALL in looked else tuple(sorted(looked))
        self._traces.keep(plan.name, Trace(self._watch.digest_of(taken), taken, made))
        self.pages += len(made)

    def remembered(self, session_id: str, make: Callable[[], str]) -> str:
        """The text by which a session is found; its record is not read for it again when nothing in it has changed."""
        digest = self._watch.digest(f"{SESSIONS}|{session_id}")
        text = self._traces.text(session_id, digest)
        if text is None:
            text = make()
        self._traces.keep_text(session_id, digest, text)
        return text

    def _all_there(self, trace: Trace) -> bool:
        return all(made.url and self._output.reuse(_name(made.url), self._key(made)) for made in trace.drafts)

    def _stamp(self, draft: Draft, earlier: tuple[str, ...]) -> Made:
        """Write a page, unless it is there already; `earlier` is what was looked up when it was last rendered."""
        name, made = _name(draft.url), Made(draft.url, draft.key, earlier)
        if draft.kind != "home" and self._output.reuse(name, self._key(made)):
            return made
        self._watch.notes.clear()
        page = draft.render()
        made = Made(draft.url, draft.key, tuple(sorted(self._watch.notes)))
        if draft.kind == "home":
            html = (self._theme.folder / "index.html").read_text("utf-8").replace(HOME_MARK, page.body, 1)
        else:
            html = self._theme.shell.stamp(page)
        self._output.write(name, html, self._key(made))
        return made

    def _key(self, made: Made) -> str:
        looked = self._watch.digest_of(made.rendered)
        return hashlib.sha256(f"{made.key}\0{looked}\0{self._look}".encode()).hexdigest()[:20]


def _name(url: str) -> str:
    return f"{url}index.html"
