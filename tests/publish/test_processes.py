"""Pages made in several processes: the same bytes as in one, whatever happens to the others."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from site_factory import make_home

from kb.errors import SiteError
from kb.home import Home
from kb.publish import stamping
from kb.publish.build import BuiltSite, build_site
from kb.publish.output import Output
from kb.publish.stamping import Stamper
from kb.publish.traces import FILE
from kb.runbook.pages import Plan

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
HERE = os.getpid()


@pytest.fixture
def home(tmp_path: Path, checkout: Path) -> Home:
    """Some sessions of this repository."""
    home = make_home(tmp_path / "base")
    for path in sorted((checkout / "sessions").glob("*.md"))[:12]:
        shutil.copy(path, home.sessions)
    return home


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many that even a few pages are worth it; the tests of the browser leave a thread, which waits for nothing."""
    others, count = threading.active_count() - 1, threading.active_count
    monkeypatch.setattr(threading, "active_count", lambda: count() - others)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(stamping, "FEWEST", 1)
    monkeypatch.setattr(stamping, "UNIT", 2)


def contents(home: Home) -> dict[str, bytes]:
    """All files of the site, and what is kept for the next build."""
    files = [path for path in sorted(home.public.rglob("*")) if path.is_file()]
    kept = home.index.parent / FILE
    return {path.relative_to(home.root).as_posix(): path.read_bytes() for path in (*files, kept)}


def in_one_process(home: Home) -> tuple[BuiltSite, dict[str, bytes]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "sched_getaffinity", lambda _: {0})
        built = build_site(home, home.public)
    made = contents(home)
    shutil.rmtree(home.public)
    (home.index.parent / FILE).unlink()
    return built, made


def left(home: Home) -> list[str]:
    """What a build that did not end well leaves beside the site, and processes that still run."""
    folders = [path.name for path in home.root.iterdir() if path.name.startswith(f".{home.public.name}.")]
    return [*folders, *(str(process) for process in multiprocessing.active_children())]


def test_pages_that_others_make_are_those_that_one_process_makes(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, files = in_one_process(home)
    make, here = Stamper._make, []

    def counted(self: Stamper, plan: Plan) -> Any:
        here.append(plan)  # another process notes it for itself
        return make(self, plan)

    monkeypatch.setattr(Stamper, "_make", counted)
    steps: list[tuple[int, int]] = []
    built = build_site(home, home.public, progress=lambda *step: steps.append(step))
    assert contents(home) == files
    assert built == alone
    assert len(here) == 2 * stamping.UNIT
    assert [done for done, _ in steps] == list(range(1, steps[-1][1] + 1))
    assert not left(home)


def test_records_are_read_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other pages and the search say of a record comes from the process that read it."""
    from kb.publish import records

    read = records.read_own_below

    def once(home: Home, path: Path) -> Any:
        with (home.root / "read").open("a") as stream:
            stream.write(f"{path.name}\n")
        return read(home, path)

    monkeypatch.setattr(records, "read_own_below", once)
    build_site(home, home.public)
    names = (home.root / "read").read_text().split()
    assert sorted(names) == sorted({path.name for path in home.sessions.glob("2*.md")})


def test_the_error_of_another_process_is_told_with_the_page(home: Home) -> None:
    pages = home.root / "templates" / "pages"
    pages.mkdir(parents=True)
    (pages / "fix.html").write_text("<h1>\n{{ page.no_such_thing }}</h1>\n")
    with pytest.raises(SiteError, match=r"no_such_thing.*, while fixes/[\w-]+/ was made") as caught:
        build_site(home, home.public)
    assert str(caught.value.location) == "pages/fix.html"
    assert not home.public.exists()
    assert not left(home)


def test_what_a_killed_process_leaves_is_made_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    _, files = in_one_process(home)
    write = Output.write

    def cut_short(self: Output, name: str, text: str | bytes, key: str) -> None:
        if os.getpid() == HERE or not name.startswith("s/"):
            write(self, name, text, key)
            return
        write(self, name, text[:100], key)
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(Output, "write", cut_short)
    build_site(home, home.public)
    assert contents(home) == files
    assert not left(home)


def test_a_build_that_is_broken_off_leaves_nothing(home: Home) -> None:
    def broken_off(done: int, _: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_site(home, home.public, progress=broken_off)
    assert not home.public.exists()
    assert not left(home)
