"""A build after a change makes what a build from nothing makes, and makes no more of it anew than it must."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from site_factory import make_home

from kb.home import Home
from kb.publish.build import build_site
from kb.publish.output import MANIFEST
from kb.publish.traces import FILE


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


def afresh(home: Home, folder: Path) -> dict[str, bytes]:
    """The site of `home` as another machine would build it."""
    other = Home(folder, home.name, home.site_url, home.repository)
    shutil.copytree(home.root, folder, ignore=shutil.ignore_patterns(".kb", "public"))
    build_site(other, other.public)
    return contents(other.public)


@pytest.fixture
def home(tmp_path: Path, checkout: Path) -> Home:
    """The sessions of this repository."""
    home = make_home(tmp_path / "base")
    for path in sorted((checkout / "sessions").glob("*.md"))[:12]:
        shutil.copy(path, home.sessions)
    return home


def newest(home: Home) -> Path:
    return max(home.sessions.glob("2*.md"))


def closing(home: Home) -> None:
    with newest(home).open("a") as stream:
        stream.write("\nAnd more of it.\n")


def title(home: Home) -> None:
    path = newest(home)
    path.write_text(re.sub(r"(?m)^title: .*$", "title: Another title", path.read_text(), count=1))


def fixes(home: Home) -> None:
    for path in home.sessions.glob("*.md"):
        path.write_text(re.sub(r"(?m)^### Fix: (\S+)", r"### Fix: \1-too", path.read_text(), count=1))


def gone(home: Home) -> None:
    newest(home).unlink()


def another(home: Home) -> None:
    text = newest(home).read_text()
    text = re.sub(r"(?m)^id: .*$", "id: 2027-11-11-later", text, count=1)
    text = re.sub(r"(?m)^started: .*$", "started: 2027-11-11T10:00:00Z", text, count=1)
    text = re.sub(r"(?m)^ended: .*$", "ended: 2027-11-11T12:00:00Z", text, count=1)
    (home.sessions / "2027-11-11-later.md").write_text(text)


def named(home: Home) -> None:
    """A record links to one that is only written later."""
    with min(home.sessions.glob("2*.md")).open("a") as stream:
        stream.write("\nSee [the other](2027-11-11-later.md).\n")
    build_site(home, home.public)
    another(home)


@pytest.mark.parametrize("change", [closing, title, fixes, gone, another, named], ids=lambda one: one.__name__)
def test_what_changed_is_as_if_all_was_made_anew(home: Home, tmp_path: Path, change) -> None:  # type: ignore[no-untyped-def]
    pages = build_site(home, home.public).pages
    change(home)
    built = build_site(home, home.public)
    assert contents(home.public) == afresh(home, tmp_path / "other")
    if change in (closing, title):
        assert built.written < pages / 2


def test_nothing_is_touched_when_nothing_changed(home: Home) -> None:
    first = build_site(home, home.public)
    before = (home.public / "index.html").stat()
    again = build_site(home, home.public)
    assert (again.pages, again.written) == (first.pages, 0)
    assert (home.public / "index.html").stat().st_ctime_ns == before.st_ctime_ns
    assert build_site(home, home.public, strict=True).pages == first.pages


@pytest.mark.parametrize("lost", ["index.html", "sessions/index.html", "rules/index.html", "assets/kb/data/rules.js"])
def test_a_page_that_was_lost_comes_back(home: Home, lost: str) -> None:
    build_site(home, home.public)
    before = contents(home.public)
    (home.public / lost).unlink()
    build_site(home, home.public)
    assert contents(home.public) == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"code": 1}', '{"plans": {"home": 7}}'])
def test_traces_that_make_no_sense_cost_time_only(home: Home, tmp_path: Path, text: str) -> None:
    build_site(home, home.public)
    (home.root / ".kb" / FILE).write_text(text)
    closing(home)
    build_site(home, home.public)
    assert contents(home.public) == afresh(home, tmp_path / "other")
