"""Prose of records as HTML: CommonMark and tables; no raw HTML, no images, links only to where a reader expects."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from kb.runbook.urls import session_url
from kb.runbook.visible import escape_text, peel, visible

_ABSOLUTE = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_RECORD = re.compile(r"(?:\./)?([a-z0-9][a-z0-9.-]*)\.md(?:#[A-Za-z0-9_-]*)?")
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>#|~&]|^\s*(?:[-+=]|\d+[.)]|\s{4})|\S  $", re.MULTILINE)


def _allowed(url: str) -> bool:
    return bool(_ABSOLUTE.match(url) or _RECORD.fullmatch(url))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    # The method is the documented place to restrict links; markdown-it-py declares it like any other method.
    parser.validateLink = _allowed  # type: ignore[method-assign]
    return parser


def prose_html(text: str, root: str, sessions: Collection[str]) -> Markup:
    """`text` as safe HTML for a page that is `root` away from the site's root.

    A link to another record (`<id>.md`) leads to its page when `sessions` holds the id; any other relative link, and
    any scheme but http, https and mailto, stays plain text. Headings become paragraphs that look like small ones:
    the page's own structure stands.
    """
    text = visible(peel(text)).strip()
    if not _MARKDOWN.search(text):
        paragraphs = (escape_text(part.strip()) for part in re.split(r"\n\s*\n", text))
        return Markup("".join(f"<p>{part}</p>\n" for part in paragraphs if part))  # noqa: S704 - escaped above
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "p"
            if token.nesting == 1:
                token.attrSet("class", "kb-heading")
        elif token.type == "fence":
            token.info = ""
        elif token.children:
            _settle_links(token.children, lambda name: root + session_url(name) if name in sessions else None)
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - html is off


def _settle_links(tokens: Sequence[Token], page_of: Callable[[str], str | None]) -> None:
    depth: list[bool] = []
    for token in tokens:
        if token.type == "link_open":
            record = _RECORD.fullmatch(str(token.attrGet("href") or ""))
            target = page_of(record[1]) if record else None
            depth.append(record is None or target is not None)
            if record is None:
                token.attrSet("rel", "noopener noreferrer")
            elif target is not None:
                token.attrSet("href", target)
            else:
                token.tag, token.attrs = "span", {}
        elif token.type == "link_close" and not depth.pop():
            token.tag = "span"
