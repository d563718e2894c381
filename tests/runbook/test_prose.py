"""Prose of records: Markdown that cannot bring markup, scripts or pictures of its own."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kb.runbook.prose import prose_html

ALLOWED = {
    "p", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "hr", "br", "a", "span", "s",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
ATTRIBUTES = {"href", "rel", "title", "start", "style"}


class Tags(HTMLParser):
    """Collects what elements and attributes a text has."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def tags(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(html)
    parser.close()
    return parser.seen


def html_of(text: str) -> str:
    return str(prose_html(text, "../../", {"2026-02-22-a-session"}))


def test_plain_prose_is_paragraphs() -> None:
    assert html_of("One line,\nand another.\n\nA second paragraph.") == (
        "<p>One line,\nand another.</p>\n<p>A second paragraph.</p>\n"
    )


def test_markdown_is_rendered() -> None:
    assert html_of("the *drafter* of `Kimi`") == "<p>the <em>drafter</em> of <code>Kimi</code></p>\n"


def test_html_is_shown_as_text() -> None:
    assert html_of("<script>alert(1)</script>") == "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "&#106;avascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example/x",
        "../../elsewhere",
    ],
)
def test_a_link_to_anything_but_the_web_is_no_link(link: str) -> None:
    assert "href" not in "".join(str(attributes) for _, attributes in tags(html_of(f"[click]({link}) <{link}>")))


def test_a_link_to_the_web_says_where_from_to_nobody() -> None:
    assert html_of("[docs](https://example.org/a)") == (
        '<p><a href="https://example.org/a" rel="noopener noreferrer">docs</a></p>\n'
    )


def test_a_link_to_another_record_leads_to_its_page() -> None:
    assert html_of("[see](2026-02-22-a-session.md)") == (
        '<p><a href="../../sessions/2026-02-22-a-session/">see</a></p>\n'
    )


def test_a_link_to_a_record_that_is_not_there_is_text() -> None:
    assert html_of("[see](no-such-session.md)") == "<p><span>see</span></p>\n"


def test_pictures_are_not_loaded() -> None:
    assert "<img" not in html_of("![x](https://example.org/x.png)")


def test_headings_of_a_record_are_small_and_have_no_address() -> None:
    assert html_of("# Big") == '<p class="kb-heading">Big</p>\n'


def test_fences_are_code_whatever_they_call_themselves() -> None:
    assert html_of("```mermaid\ngraph\n```") == "<pre><code>graph\n</code></pre>\n"


@example('[a](https://x.y "<script>")')
@example("<a href=javascript:alert(1)>\n\n| a | b |\n|---|---|\n| <img src=x onerror=y> | c |")
@example('{: onclick=x }\n\n--8<-- "/etc/passwd"\n\n{{ config }}')
@settings(max_examples=300)
@given(st.text(alphabet=st.sampled_from(list("<>&\"'`*_[]()!#|:/-+=~\\ \nabcjs.{}%")), max_size=120))
def test_no_prose_makes_an_element_or_attribute_of_its_own(text: str) -> None:
    for tag, attributes in tags(html_of(text)):
        assert tag in ALLOWED
        assert attributes.pop("class", "kb-heading") == "kb-heading"
        assert set(attributes) <= ATTRIBUTES
        href = attributes.get("href")
        assert href is None or re.match(r"(https?://|mailto:|\.\./\.\./sessions/)", href)
