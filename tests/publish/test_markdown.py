"""`kb site pages`: plain Markdown that any engine builds, in which text of logs and records does nothing."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hostile_factory import hostile_knowledge
from markdown_it import MarkdownIt
from runbook_factory import KIMI, small_knowledge
from site_factory import make_home

from kb.errors import SiteError
from kb.home import Home
from kb.publish import from_html
from kb.publish.markdown import write_pages
from kb.publish.plain_markdown import code, escaped, fenced
from kb.runbook.pages import pages
from kb.runbook.visible import plain

HOSTILE = (
    "</title><script>alert(1)</script> [x](javascript:alert(1)) ![x](http://evil/x.png) `a` *b* _c_ {: onclick=x} "
    '<img src=x onerror=alert(1)> | a | b | --8<-- "x" &#60;b&#62; https://evil.example $x$ :smile: \u202e\x07'
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Home:
    """Sessions of this repository, and one that tries to run something in every prose."""
    home = make_home(tmp_path_factory.mktemp("pages"))
    for path in sorted((checkout / "sessions").glob("*.md"))[:6]:
        shutil.copy(path, home.sessions)
    text = min(home.sessions.glob("2*.md")).read_text()
    text = re.sub(r"(?m)^id: .*$", "id: 2027-11-11-hostile", text, count=1)
    text = re.sub(r"(?m)^title: .*$", 'title: "<script>alert(1)</script> [x](javascript:1)"', text, count=1)
    (home.sessions / "2027-11-11-hostile.md").write_text(
        text + "\n<script>alert(1)</script>\n\n<img src=x onerror=y>\n"
    )
    return home


@pytest.mark.parametrize("engine", ["mkdocs", "properdocs", "zensical"])
def test_an_engine_builds_them(home: Home, checkout: Path, tmp_path: Path, engine: str) -> None:
    places = (Path(sys.executable).with_name(engine), checkout / ".tools" / "engines" / "bin" / engine)
    program = next((place for place in places if place.is_file()), None)
    if program is None:
        pytest.skip(f"{engine} is not installed: make tools")
    folder = tmp_path / "out"
    number, _ = write_pages(home, folder)
    # properdocs brings no theme of its own; Zensical's is its own, and it has no strict mode here.
    more = {"mkdocs": ["--strict"], "properdocs": ["--strict", "--theme", "material"], "zensical": []}[engine]
    done = subprocess.run(
        [program, "build", "--config-file", folder / "mkdocs.yml", *more], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list((folder / "site").rglob("index.html"))
    assert len(pages) >= number - 1
    for page in pages:
        html = page.read_text("utf-8")
        assert "<script>alert" not in html
        assert "<img src=x" not in html
        assert 'href="javascript:' not in html


def test_every_link_between_the_pages_leads_to_one(home: Home, tmp_path: Path) -> None:
    write_pages(home, tmp_path / "out")
    for page in (tmp_path / "out" / "docs").rglob("*.md"):
        outside = re.sub(r"(?ms)^(`{3,}).*?^\1$", "", page.read_text("utf-8"))
        for link in re.findall(r"(?<!\\)\]\(([^)]+)\)", outside):
            assert (page.parent / link).is_file(), (page, link)


#: What could mean something, alone and next to each other.
SIGNS = [*"\\`*_{}[]()#+-.!<>&|~^=:$@'\"/%?;, ", "a", "Zq", "7", "1.", "_init", "http://", "www.", "&lt;", "&#60;", ":smile:", "!!! note", "$x$", "==", "~~", "{{ x }}", "[^1]", "- ", "1) ", "    "]  # fmt: skip
DIALECTS = ["attr_list", "admonition", "def_list", "footnotes", "md_in_html", "tables", "toc", "pymdownx.betterem", "pymdownx.caret",
    "pymdownx.details", "pymdownx.inlinehilite", "pymdownx.keys", "pymdownx.magiclink", "pymdownx.mark",
    "pymdownx.superfences", "pymdownx.tasklist", "pymdownx.tilde"]  # fmt: skip


class Words(HTMLParser):
    """The words of a page, and the names of its elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.names: set[str] = set()
        self.links: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def lines() -> list[str]:
    chance = random.Random(3)
    return [HOSTILE, *("".join(chance.choices(SIGNS, k=chance.randint(1, 12))) for _ in range(3000))]


def test_a_line_is_only_text_in_commonmark() -> None:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for line in lines():
        made = Words(parser.render(f"{escaped(line)}\n\n| {escaped(line)} |\n|---|\n| {escaped(line)} |\n"))
        assert made.names <= {"p", "table", "thead", "tbody", "tr", "th", "td"}, line
        assert made.text.split() == plain(line).split() * 3, line


def test_a_line_is_only_text_in_the_dialect_of_mkdocs() -> None:
    markdown = pytest.importorskip("markdown")
    parser = markdown.Markdown(extensions=DIALECTS)
    for line in lines():
        parser.reset()
        made = Words(parser.convert(f"{escaped(line)}\n"))
        assert made.names <= {"p"}, line
        assert made.text == plain(line), line


def test_code_in_a_line_is_only_text() -> None:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    for line in lines():
        made = Words(parser.render(f"a {code(line)} b\n"))
        assert made.names <= {"p", "code"}, line
        assert made.text.split() == ["a", *plain(line).split(), "b"], line


def test_hostile_pages_do_nothing() -> None:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    for page in pages(*hostile_knowledge()):
        made = Words(parser.render(from_html.markdown(page.body, lambda href: "x.md" if href.startswith(".") else "")))
        assert not made.names & {"script", "img", "svg", "iframe", "style", "form"}, page.url
        assert set(made.links) <= {"x.md"}, page.url


def test_a_page_says_what_the_site_says() -> None:
    parser = MarkdownIt("commonmark").enable("table")
    made = {page.url: page for page in pages(*small_knowledge())}
    for url in (f"s/{KIMI.id}/", "sessions/2026-02-22-vllm-eagle3-kimi-k2-5/", "work/", "fixes/serve-without-drafter/"):
        left_out = (
            r'(?s)<svg.*?</svg>|<figure.*?</figure>|<ol class="kb-strip".*?</ol>|<span class="kb-lang">.*?</span>'
        )
        shown = re.sub(left_out, "", made[url].body).replace("<wbr>", "")
        there = set(re.findall(r"\w{3,}", unescape(re.sub(r"<[^>]*>", " ", shown))))
        here = Words(parser.render(from_html.markdown(made[url].body, lambda href: href)))
        assert there - set(re.findall(r"\w{3,}", here.text)) == set(), url
        assert {"h1", "h2"} <= here.names


def test_the_line_that_decides_is_marked() -> None:
    page = next(page for page in pages(*small_knowledge()) if page.url == f"s/{KIMI.id}/")
    text = from_html.markdown(page.body, lambda href: href)
    assert re.search(r"(?m)^> .*object has no attribute 'image_token_index'$", text)


def test_what_is_nested_stays_nested() -> None:
    body = "<ul><li>a<ul><li>b <code>c|d</code></li></ul><p>e</p></li></ul><blockquote><p>1. f</p></blockquote>"
    text = from_html.markdown(body, lambda href: href)
    html = MarkdownIt("commonmark").render(text)
    assert "".join(html.split()) == (
        "<ul><li><p>a</p><ul><li>bc|d</li></ul><p>e</p></li></ul><blockquote><p>1.f</p></blockquote>"
    )


@pytest.mark.parametrize("text", ["```\n<script>", "````sh\n```", "~~~\n", "a\n`````\nb", ""])
def test_nothing_ends_a_fence(text: str) -> None:
    (block, after) = MarkdownIt("commonmark").parse(f"{fenced(text, 'text')}\nafter\n")[:2]
    assert (block.type, after.type) == ("fence", "paragraph_open")
    assert block.content.rstrip("\n") == text.rstrip("\n")


def test_a_second_run_writes_what_changed_and_deletes_what_is_gone(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_pages(home, folder)
    stamp = (folder / "docs" / "index.md").stat().st_mtime_ns
    (folder / "docs" / "s" / "kb1-old.md").write_text("old")
    write_pages(home, folder)
    assert (folder / "docs" / "index.md").stat().st_mtime_ns == stamp
    assert not (folder / "docs" / "s" / "kb1-old.md").exists()


def test_a_folder_of_something_else_is_left_alone(home: Home, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mine.md").write_text("mine")
    with pytest.raises(SiteError, match="something other"):
        write_pages(home, tmp_path)
    assert (tmp_path / "docs" / "mine.md").read_text() == "mine"
