"""What the runbook hands to whoever publishes it: pages as safe HTML bodies, each a pure function of its content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "home",
    "signature",
    "session",
    "fix",
    "component",
    "tag",
    "signatures",
    "sessions",
    "fixes",
    "components",
    "tags",
    "statistics",
    "work",
    "rules",
]

#: Which top-level tab a kind of page belongs to: the address of the tab's own page.
SECTION: dict[Kind, str] = {
    "home": "",
    "signature": "signatures/",
    "signatures": "signatures/",
    "session": "sessions/",
    "sessions": "sessions/",
    "fix": "fixes/",
    "fixes": "fixes/",
    "component": "components/",
    "components": "components/",
    "tag": "work/",
    "tags": "work/",
    "statistics": "work/",
    "work": "work/",
    "rules": "rules/",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One page: `url` is relative to the site's root and ends in a slash ("" is the home page).

    `title` is plain text, `body` safe HTML, `toc` the (id, plain text) of its second-level headings.
    """

    url: str
    title: str
    body: str
    toc: tuple[tuple[str, str], ...]
    kind: Kind


@dataclass(frozen=True, slots=True)
class Draft:
    """A page that is not rendered yet."""

    url: str
    title: str
    kind: Kind
    toc: tuple[tuple[str, str], ...]
    body: Callable[[], str] = field(compare=False, repr=False)

    def render(self) -> Page:
        """The page itself."""
        return Page(self.url, self.title, self.body(), self.toc, self.kind)


def content_key(*content: object) -> str:
    """A hash of values whose `repr` shows all of their content, in an order that does not change between runs."""
    digest = hashlib.sha256()
    for value in content:
        digest.update(repr(value).encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


def root_of(url: str) -> str:
    """The relative way from the page at `url` to the site's root: "" or "../" once or more."""
    return "../" * url.count("/")
