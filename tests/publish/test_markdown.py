"""`kb site pages`: plain Markdown that any engine builds, in which text of logs and records does nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from site_factory import make_home

from kb.errors import SiteError
from kb.home import Home
from kb.publish.markdown import escaped, fenced, write_pages

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
        for link in re.findall(r"\]\(([^)]+)\)", outside):
            assert (page.parent / link).is_file(), (page, link)


def test_a_line_is_only_text(tmp_path: Path) -> None:
    markdown = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table")
    html = markdown.render(f"# {escaped(HOSTILE)}\n\n| {escaped(HOSTILE)} |\n|---|\n| {escaped(HOSTILE)} |\n")
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= {"h1", "table", "thead", "tbody", "tr", "th", "td"}
    assert "U+202E" in html


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
