"""No page takes long on a phone, however long a session was: what matters stays, and a page says what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kb.home import read_home
from kb.index.build import build_index
from kb.index.store import open_store
from kb.record.folder import read_folder
from kb.runbook.excerpts import Excerpt, Mark
from kb.runbook.page import Page
from kb.runbook.pages import pages
from kb.runbook.room import MOST, excerpt_within, text_within

HEAD = """---
kb: 1
id: 2026-03-01-long
title: A long session
started: 2026-03-01T08:00:00Z
ended: 2026-03-01T09:00:00Z
resolution: fixed
---

It took long.
"""
ERROR = "ValueError: the depth of layer_norm is wrong"
FIX = "### Fix: deeper {kind=patch target=net.py}\n\nDeeper."


def attempt(number: int, *steps: str, title: str = "try") -> str:
    return "\n\n".join((f"## Attempt {number}: {title}", *steps))


def console(output: str, exit_status: int = 1) -> str:
    return f"```console {{exit={exit_status}}}\n$ python3 net.py\n{output}\n```"


def log(lines: Iterator[str] | list[str]) -> str:
    return "\n".join(("```log {source=net.log}", *lines, "```"))


def patch(size: int) -> str:
    return "\n".join(
        ("```diff", "--- a/net.py", "+++ b/net.py", f"@@ -0,0 +1,{size} @@", *["+x = '<&>'"] * size, "```")
    )


FINE = attempt(2, console("fine", 0))
RECORDS = {
    "three hundred attempts": "\n\n".join(
        (*(attempt(n, console(f"{ERROR}\nstep {n}")) for n in range(1, 299)), attempt(299, console(ERROR), FIX), attempt(300, console("fine", 0)))
    ),
    "an attempt of three hundred commands": f"{attempt(1, *[console('fine', 0)] * 300, console(ERROR), FIX)}\n\n{FINE}",
    "a log of long lines": f"{attempt(1, log([ERROR, *['<' * 900] * 200]), FIX)}\n\n{FINE}",
    "a log of errors": f"{attempt(1, log([f'{ERROR}: ERROR ERROR ERROR {n}' for n in range(2000)]), FIX)}\n\n{FINE}",
    "a command of many lines": f"{attempt(1, console(ERROR).replace('net.py', 'net.py ' + 'x y ' * 20000), FIX)}\n\n{FINE}",
    "a long patch": f"{attempt(1, console(ERROR), FIX, patch(9000))}\n\n{FINE}",
    "long prose": f"{attempt(1, console(ERROR), '### Diagnosis', 'It is *deep*. ' * 9000, FIX)}\n\n{FINE}",
    "much of all": f"{attempt(1, *[console(f'{ERROR}{chr(10)}' + 'x' * 2000)] * 40, FIX, patch(1500), '### Diagnosis', 'Deep. ' * 3000)}\n\n{FINE}",
}  # fmt: skip


def made(folder: Path, record: str) -> dict[str, Page]:
    """The pages of a knowledge base of this session."""
    (folder / "kb.toml").write_text("")
    (folder / "sessions").mkdir()
    (folder / "sessions" / "2026-03-01-long.md").write_text(f"{HEAD}\n{record}\n\n## Resolution\n\nDone.\n")
    home = read_home(folder)
    records = {reading.session.id: reading.session for _, reading in read_folder(home) if reading.session}
    assert records
    build_index(home)
    with closing(open_store(home)) as store:
        return {page.kind: page for page in pages(store.knowledge(), records)}


@pytest.mark.parametrize("name", RECORDS)
def test_no_page_of_a_long_session_is_large(tmp_path: Path, name: str) -> None:
    site = made(tmp_path, RECORDS[name])
    assert {"session", "signature", "fix"} <= site.keys()
    assert {kind: size for kind, page in site.items() if (size := len(page.body.encode())) > MOST} == {}
    said = site["session"].body
    assert "layer_norm" in said
    assert "Deeper" in said
    assert "kb-outcome" in said
    assert "How it ended" in said


def test_of_many_attempts_those_that_changed_something_are_told(tmp_path: Path) -> None:
    page = made(tmp_path, RECORDS["three hundred attempts"])["session"]
    told = re.findall(r'<h2 id="attempt-(\d+)">', page.body)
    assert [told[0], *told[-2:]] == ["1", "299", "300"]
    left_out = re.findall(r"(\d+) attempts? left out here", page.body)
    assert len(told) + sum(map(int, left_out)) == 300
    assert [anchor for anchor, _ in page.toc] == [*(f"attempt-{number}" for number in told), "resolution"]


def test_of_many_steps_those_that_say_something_are_told(tmp_path: Path) -> None:
    page = made(tmp_path, RECORDS["an attempt of three hundred commands"])["session"]
    left_out = re.findall(r"(\d+) steps? left out here", page.body)
    assert page.body.count('<div class="kb-step') - len(left_out) + sum(map(int, left_out)) == 303


def test_a_page_with_room_shows_all(tmp_path: Path) -> None:
    page = made(tmp_path, f"{attempt(1, console(ERROR), FIX, patch(20))}\n\n{FINE}")["session"]
    assert "left out" not in page.body
    assert "the record has" not in page.body
    assert page.body.count("x = &#39;&lt;&amp;&gt;&#39;") == 20


def test_the_decisive_line_stays_where_there_is_little_room() -> None:
    lines = tuple(f"line {number} " + "x" * 90 for number in range(500))
    short = excerpt_within(Excerpt(lines, marks={300: Mark("root")}), 250)
    assert any(line.startswith("line 300 ") for line in short.lines)
    assert [short.lines[place][:9] for place in short.marks] == ["line 300 "]
    assert sum(map(len, short.lines)) < 600


def test_a_text_is_cut_between_lines_and_says_so() -> None:
    assert text_within("a\nb", 3) == "a\nb"
    assert text_within("aaaa\nbbbb\ncccc", 6) == "aaaa\n\n[… 2 more lines; the record has them]"
    assert text_within("a" * 50, 10) == "aaaaaaaaaa … (40 more characters)"
    assert text_within("a" * 50, 0) == "a" * 50
