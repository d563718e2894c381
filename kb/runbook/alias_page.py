"""The page at an id that a signature went by before: a link that was kept leads on to where the signature is now."""

from __future__ import annotations

from kb.runbook.library import Library
from kb.runbook.page import Draft, root_of
from kb.runbook.templating import Templates
from kb.runbook.urls import signature_url
from kb.runbook.views import signature_link


def alias_draft(library: Library, templates: Templates, old: str, current: str) -> Draft:
    """The page at the id `old` of the signature that goes by `current` now."""
    url = signature_url(old)
    link = signature_link(library, current)
    return Draft(
        url=url,
        title=link.title,
        kind="signature",
        toc=(),
        body=lambda: templates.render("pages/alias.html", root_of(url), page={"old": old, "link": link}),
    )
