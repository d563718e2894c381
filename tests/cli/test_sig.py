"""`kb sig` writes one file per decision, applies it at once, and says what it did."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Kb

RECORD = """\
---
kb: 1
id: {name}
title: The server does not start
started: 2026-01-0{day}T10:00:00Z
---

## Attempt 1: start

```console {{exit=1}}
$ python serve.py
Traceback (most recent call last):
  File "/srv/app/serve.py", line 12, in load
    read()
{error}
```
"""


@pytest.fixture
def two(base: Path, kb: Kb) -> tuple[str, str]:
    """The ids of two signatures of a knowledge base."""
    for day, error in ((1, "KeyError: 'spool_folder'"), (2, "RuntimeError: the folder of the spool is not configured")):
        text = RECORD.format(name=f"s{day}", day=day, error=error)
        (base / "sessions" / f"s{day}.md").write_text(text)
    kb("index")
    words = ("spool_folder", "not configured")
    return tuple(kb("search", "--json", word).json["hits"][0]["id"] for word in words)  # type: ignore[return-value]


def test_a_merge_is_written_and_applied(kb: Kb, base: Path, two: tuple[str, str]) -> None:
    keep, other = two
    ran = kb("sig", "merge", keep, other, "--why", "worded anew", "--by", "Ada")
    assert ran.status == 0
    (path,) = (base / "decisions").iterdir()
    assert path.name in ran.out
    assert path.read_text().splitlines()[:3] == ["kb: 1", f"merge: [{other}]", f"into: {keep}"]
    assert kb("show", other, "--json").json["id"] == keep
    assert kb("check").out.strip().endswith("3 records and 1 decision: no problem")
    (row,) = kb("sig", "list", "--json").json
    assert (row["kind"], row["into"], row["others"], row["why"]) == ("merge", keep, [other], "worded anew")
    assert f"merge {other} into {keep}" in kb("sig", "list").out
    assert kb("sig", "merge", keep, other).status == 64
    path.unlink()
    kb("index")
    assert kb("show", other, "--json").json["id"] == other


def test_triage_says_that_people_decided_where_the_rules_sign_otherwise(
    kb: Kb, base: Path, two: tuple[str, str]
) -> None:
    kb("sig", "merge", *two)
    error = "RuntimeError: the folder of the spool is not configured"
    said = " ".join(kb("triage", stdin=error.encode()).out.split())
    assert f"exact match: the rules sign it as {two[1]}, which people decided is this one" in said


def test_a_split_says_how_many_it_takes(kb: Kb, base: Path, two: tuple[str, str]) -> None:
    ran = kb("sig", "split", two[0], "--function", "load", "--title", "The spool is not set")
    assert "takes 1 of the 1 known failures" in ran.out
    assert "none is left" in ran.err
    (row,) = kb("sig", "list", "--json").json
    assert kb("show", row["part"], "--json").json["title"] == "The spool is not set"


def test_a_name_is_shown(kb: Kb, two: tuple[str, str]) -> None:
    assert kb("sig", "name", two[0], "The spool is not set").status == 0
    assert "The spool is not set" in kb("show", two[0]).out


def test_a_new_name_takes_the_place_of_the_one_before_on_the_same_day_too(
    kb: Kb, base: Path, two: tuple[str, str]
) -> None:
    for title in ("Zero spools", "The spool is not set", "A spool is missing", "No spool"):
        ran = kb("sig", "name", two[0], title)
        assert f"{two[0]} is now called: {title}" in ran.out
        assert kb("show", two[0], "--json").json["title"] == title
        assert [row["title"] for row in kb("sig", "list", "--json").json] == [title]
    kb("sig", "name", two[1], "Another one")
    assert len(kb("sig", "list", "--json").json) == 2
    assert kb("check").status == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("merge", "kb1-aaaaaaaaaa", "{0}"), "no signature is named"),
        (("merge", "{0}", "{0}"), "cannot be merged into itself"),
        (("merge", "kb1-", "{0}"), "begin with"),
        (("split", "{0}"), "say what tells the part"),
        (("split", "{0}", "--message", "a", "--function", "b"), "say what tells the part"),
        (("split", "{0}", "--message", "nowhere"), "their messages: 'spool_folder'"),
        (("split", "{0}", "--function", "nowhere"), "their innermost functions: load"),
        (("name", "{0}", " "), "title is ''"),
    ],
)
def test_what_cannot_be_decided_is_refused(
    kb: Kb, base: Path, two: tuple[str, str], arguments: tuple[str, ...], said: str
) -> None:
    ran = kb("sig", *(one.format(two[0]) for one in arguments))
    assert ran.status == 64
    assert said in ran.err
    assert not (base / "decisions").exists()


def test_check_names_contradictions_with_file_and_line(kb: Kb, base: Path, two: tuple[str, str]) -> None:
    (base / "decisions").mkdir()
    for at, (into, other) in enumerate((two, two[::-1])):
        (base / "decisions" / f"{at}.yaml").write_text(f"kb: 1\nmerge: {other}\ninto: {into}\n")
    ran = kb("check")
    assert ran.status == 1
    assert "decisions/0.yaml:2: " in ran.out
    assert "2 problems" in ran.out
    assert kb("check", base / "decisions" / "0.yaml").status == 0


def test_nothing_decided_is_said(kb: Kb, base: Path) -> None:
    assert "nothing is decided" in kb("sig", "list").out
    assert kb("sig", "list", "--json").json == []
