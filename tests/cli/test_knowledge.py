"""`kb search`, `kb show`, `kb explain`: looking at what kb knows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Kb

SESSION = "2026-01-31-parser-eats-commas"


@pytest.fixture
def signature(kb: Kb, base: Path) -> str:
    """The id of the one signature of the knowledge base."""
    answer = kb("triage", "--json", "new.log").json
    found = answer["failures"][0]["signature"]["id"]
    assert isinstance(found, str)
    return found


def test_search_finds_signatures_fixes_and_sessions(kb: Kb, base: Path) -> None:
    kinds = {hit["kind"] for hit in kb("search", "--json", "comma").json["hits"]}
    assert kinds == {"signature", "fix", "session"}


def test_search_takes_an_error_line_as_it_was_pasted(kb: Kb, base: Path, signature: str) -> None:
    ran = kb("search", "--json", "ValueError:", "could", "not", "convert", "string", "to", "float:", "'--9,9'")
    assert ran.json["hits"][0]["id"] == signature


def test_search_says_when_there_is_nothing(kb: Kb, base: Path) -> None:
    ran = kb("search", "zebra")
    assert ran.status == 1
    assert ran.out.startswith("nothing found\n")
    assert "try fewer of them" in ran.out


def test_search_offers_the_nearest_and_says_so(kb: Kb, base: Path) -> None:
    ran = kb("search", "comma", "whatsoever")
    assert ran.status == 0
    assert "the nearest hold some of its words" in ran.err
    assert "holds some of it, not whatsoever" in ran.out


def test_search_keeps_to_its_limit(kb: Kb, base: Path) -> None:
    assert len(kb("search", "--json", "--limit", "1", "comma").json["hits"]) == 1


def test_a_signature_is_shown_with_fixes_and_dead_ends(kb: Kb, base: Path, signature: str) -> None:
    out = kb("show", signature).out
    assert out.startswith(f"signature {signature}\n")
    assert out.index("\nFixes\n  accept-decimal-comma (patch)") < out.index("\nDead ends\n  strip-the-cell (patch)")
    assert "> ValueError: could not convert string to float: '12,50'" in out
    shown = kb("show", "--json", signature).json
    assert shown["kind"] == "signature"
    assert shown["fixes"][0]["slug"] == "accept-decimal-comma"
    assert shown["dead_ends"] == ["strip-the-cell"]
    assert shown["sessions"] == [SESSION]


def test_a_session_is_shown_attempt_by_attempt(kb: Kb, base: Path, signature: str) -> None:
    out = kb("show", SESSION).out
    assert "Attempt 3: and again" in out
    assert f"failed for {signature}" in out
    assert f"fixed (absent) for {signature}" in out
    attempts = kb("show", "--json", SESSION).json["attempts"]
    assert [attempt["fixes"][0]["outcomes"][0]["outcome"] for attempt in attempts[:2]] == ["failed", "fixed"]


def test_a_fix_is_shown_with_its_patch_to_copy(kb: Kb, base: Path, signature: str) -> None:
    out = kb("show", "accept-decimal-comma").out
    assert '  +    return float(text.strip().replace(",", "."))' in out.splitlines()
    made = kb("show", "--json", "accept-decimal-comma").json["made"]
    assert made[0]["outcomes"][0]["signature"] == signature


def test_the_beginning_of_a_name_is_enough_where_it_is_unique(kb: Kb, base: Path) -> None:
    assert kb("show", "accept").out.startswith("fix accept-decimal-comma\n")
    assert kb("show", "2026").out.startswith(f"session {SESSION}\n")
    other = (base / "sessions" / f"{SESSION}.md").read_text().replace(SESSION, "2026-02-01-again")
    (base / "sessions" / "2026-02-01-again.md").write_text(other)
    kb("index")
    ran = kb("show", "2026")
    assert ran.status == 64
    assert "2 names begin with '2026'" in ran.err


def test_an_unknown_name_is_wrong_usage(kb: Kb, base: Path) -> None:
    ran = kb("show", "zebra")
    assert ran.status == 64
    assert "kb search" in ran.err


def test_explain_names_the_rules_and_what_they_changed(kb: Kb, base: Path) -> None:
    ran = kb("explain", "new.log")
    assert ran.status == 0
    assert "failure 0: root, the primary one" in ran.out
    assert "because the only failure in this log" in ran.out
    assert "mask float-value: '7,20'" in ran.out
    failures = kb("explain", "--json", "new.log").json["failures"]
    assert failures[0]["signature"]["reasons"]
    assert {reason["rule"]: reason["about"] for reason in failures[0]["signature"]["reasons"]}["mask float-value"] == ""
    assert failures[0]["signature"]["segments"]


def test_explain_says_why_each_rule_is_there(kb: Kb, base: Path) -> None:
    log = b'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in go\n    go()\ndata.errors.Bad: <7>\n'
    said = " ".join(kb("explain", "-", stdin=log).out.split())
    assert "type-name: The last component of the type: packages move" in said
    assert "data.errors.Bad -> Bad" in said
    reasons = kb("explain", "--json", "-", stdin=log).json["failures"][0]["signature"]["reasons"]
    assert all(reason["about"].endswith(".") for reason in reasons if not reason["rule"].startswith("mask "))


def test_explain_says_when_there_is_nothing_to_explain(kb: Kb, base: Path) -> None:
    ran = kb("explain", "-", stdin=b"all is well\n")
    assert (ran.status, ran.out) == (2, "no failure in 1 lines\n")


@pytest.mark.parametrize("name", ["session", "triage", "search"])
def test_schemas_are_json_schemas(kb: Kb, name: str) -> None:
    assert kb("schema", name).json["$schema"].startswith("https://json-schema.org/")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_call_kb(kb: Kb, shell: str) -> None:
    assert "_KB_COMPLETE" in kb("completion", shell).out


def test_names_are_completed(kb: Kb, base: Path, signature: str) -> None:
    def completed(words: str) -> list[str]:
        environment = {**os.environ, "_KB_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "2"}
        command = [sys.executable, "-c", "from kb.cli.main import run; run()"]
        ran = subprocess.run(command, cwd=base, env=environment, capture_output=True, text=True)
        return ran.stdout.split()

    assert completed("kb show accept") == ["plain,accept-decimal-comma"]
    assert completed("kb show kb1-") == [f"plain,{signature}"]
