"""The shell: one page rendered by MkDocs, cut so that any page of kb can be stamped out of it at any depth.

The shell lies in a folder so deep that its way to the root of the site cannot be mistaken for anything else; replacing
that way makes the same page right for every other folder.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape

from kb.errors import SiteError
from kb.publish.policy import fill_policy
from kb.publish.squeeze import squeezed
from kb.runbook.page import SECTION, Page, root_of

_FOLDER = "kb-shell/a/b/c/d/e/"
_TITLE = "kbShellTitle7f3a"
_BODY = "kbShellBody7f3a"
_CONTENTS = "kbShellContents7f3a"

#: The shell as a page of MkDocs: its path in docs/, and its Markdown.
SHELL_PAGE = f"{_FOLDER}index.md"
SHELL_MARKDOWN = f"""---
title: {_TITLE}
hide:
  - navigation
search:
  exclude: true
---

# {_BODY}

## {_CONTENTS}
"""
SHELL_FILE = f"{_FOLDER}index.html"
SHELL_TOP = _FOLDER.split("/", 1)[0]

_DEEP = "../" * _FOLDER.count("/")
_ARTICLE = re.compile(rf"<h1[^>]*>(?:(?!<h1).)*?{_BODY}.*?</h1>.*?<h2[^>]*>.*?{_CONTENTS}.*?</h2>", re.DOTALL)
_CONTENTS_ITEM = re.compile(
    rf'<li class="md-nav__item">(?:(?!<li).)*?<span[^>]*>\s*{_CONTENTS}\s*</span>.*?</li>', re.DOTALL
)
_SKIP = re.compile(rf'href="#[^"]*{_CONTENTS.lower()}[^"]*"|href="#[^"]*{_BODY.lower()}[^"]*"', re.IGNORECASE)
_HINT = "kb's pages stand in the theme Material for MkDocs (see overrides/); for another one: kb site pages DIR"
_TAB = '<li class="md-tabs__item">'
_TAB_ACTIVE = '<li class="md-tabs__item md-tabs__item--active">'


@dataclass(slots=True)
class Shell:
    """The rendered shell page with a hash of it as its `key`, and the pieces cut so far by depth and section."""

    html: str
    key: str = field(default="", init=False)
    _cut: dict[tuple[str, str], tuple[bytes, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.key = hashlib.sha256(self.html.encode("utf-8")).hexdigest()[:20]

    def stamp(self, page: Page) -> bytes:
        """The whole HTML document of `page` in UTF-8, with `?` for what has no form there."""
        root = root_of(page.url)
        key = (root, SECTION[page.kind])
        if key not in self._cut:
            self._cut[key] = _cut(self.html, root, SECTION[page.kind])
        values = {
            _TITLE: escape(page.title),
            # Not around the body: the theme names code blocks after the nearest element with an id above them.
            _BODY: f'<span id="kb-page"></span>{page.body}',
            _CONTENTS: "".join(_contents_item(anchor, text) for anchor, text in page.toc),
            _FOLDER: page.url,
        }
        own = {_encoded(name): _encoded(value) for name, value in values.items()}
        return b"".join([own.get(piece, piece) for piece in self._cut[key]])


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _cut(html: str, root: str, section: str) -> tuple[bytes, ...]:
    """The shell for pages `root` away from the site's root, cut at the places where a page's own parts go."""
    whole, articles = _ARTICLE.subn("\0body\0", squeezed(html), count=1)
    whole, items = _CONTENTS_ITEM.subn("\0contents\0", whole, count=1)
    if not articles or not items:
        raise SiteError("the theme renders the shell page in a way that kb does not know", hint=_HINT)
    whole = _SKIP.sub('href="#kb-page"', whole)
    whole = whole.replace(_DEEP, root).replace(_DEEP.rstrip("/"), root.rstrip("/") or ".")
    whole = _activate_tab(whole, root + section)
    whole = fill_policy(whole)
    whole = whole.replace(_TITLE, f"\0{_TITLE}\0").replace(_FOLDER, f"\0{_FOLDER}\0")
    whole = whole.replace("\0body\0", f"\0{_BODY}\0").replace("\0contents\0", f"\0{_CONTENTS}\0")
    return tuple(map(_encoded, whole.split("\0")))


def _activate_tab(html: str, target: str) -> str:
    """Mark the tab that leads to `target` as the one that the reader is in; without tabs nothing changes."""
    start = html.find(f'<a href="{target}" class="md-tabs__link"')
    at = html.rfind(_TAB, 0, start) if start >= 0 else -1
    return html[:at] + _TAB_ACTIVE + html[at + len(_TAB) :] if at >= 0 else html


@lru_cache(1 << 12)
def _contents_item(anchor: str, text: str) -> str:
    return (
        f'<li class="md-nav__item"><a href="#{escape(anchor)}" class="md-nav__link">'
        f'<span class="md-ellipsis">{escape(text)}</span></a></li>'
    )
