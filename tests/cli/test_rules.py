"""`kb rules` lists targets, says what makes a rule, and writes files that stay the same; `kb annotate` tells CI."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kb.rules.exporters.registry import EXPORTERS

from .conftest import Kb


@pytest.fixture
def rich(base: Path, checkout: Path) -> Path:
    """The knowledge base with a session more, whose failures make rules, and a log of one of them."""
    shutil.copy(checkout / "sessions" / "2026-11-29-vllm-eagle-image-token-index.md", base / "sessions")
    shutil.copy(checkout / "tests" / "sample" / "server.log", base)
    return base


def test_every_target_is_listed(kb: Kb) -> None:
    assert [row["name"] for row in kb("rules", "targets", "--json").json] == list(EXPORTERS)
    assert all(name in kb("rules", "targets").out for name in EXPORTERS)


def test_written_files_are_current_until_they_are_touched(kb: Kb, rich: Path) -> None:
    assert kb("rules", "export", "patterns", "--output", "out").status == 0
    assert kb("rules", "export", "patterns", "--output", "out", "--check").status == 0
    (rich / "out" / "kb.rg").write_text("other\n")
    (rich / "out" / "kb.hs").unlink()
    ran = kb("rules", "export", "patterns", "--output", "out", "--check")
    assert ran.status == 1
    assert "kb.rg: not current" in ran.err
    assert "kb.hs: missing" in ran.err


def test_the_file_of_a_rule_that_is_no_more_is_not_left(kb: Kb, rich: Path) -> None:
    assert kb("rules", "export", "sigma", "--output", "out").status == 0
    former, mine = rich / "out" / "kb-sigma" / "kb_kb1_former_known_failure.yml", rich / "out" / "kb-sigma" / "own.yml"
    former.write_text("title: x\n")
    mine.write_text("title: y\n")
    ran = kb("rules", "export", "sigma", "--output", "out", "--check")
    assert ran.status == 1
    assert "of no rule any more" in ran.err
    assert kb("rules", "export", "sigma", "--output", "out").status == 0
    assert not former.exists()
    assert mine.exists()
    assert kb("rules", "export", "sigma", "--output", "out", "--check").status == 0


def test_a_target_of_one_file_is_printed_without_a_folder(kb: Kb, rich: Path) -> None:
    assert json.loads(kb("rules", "export", "github").out)["problemMatcher"]
    assert kb("rules", "export", "jsonl").status == 64


def test_filters_choose_the_rules(kb: Kb, rich: Path) -> None:
    every = json.loads(kb("rules", "export", "github").out)["problemMatcher"]
    one = every[0]["owner"]
    assert [row["owner"] for row in json.loads(kb("rules", "export", "github", "--id", one).out)["problemMatcher"]] == [
        one
    ]
    for none in (["--component", "nothing"], ["--tag", "nothing"], ["--min-evidence", "99"], ["--role", "teardown"]):
        assert json.loads(kb("rules", "export", "github", *none).out)["problemMatcher"] == []


def test_a_healthy_log_takes_a_rule_away(kb: Kb, rich: Path) -> None:
    before = kb("rules", "check", "--json").json
    after = kb("rules", "check", "--json", "--healthy", rich / "server.log").json
    assert len(after["rules"]) < len(before["rules"])
    assert "healthy" in {row["code"] for row in after["refused"]}


def test_an_unknown_target_is_wrong_usage(kb: Kb, base: Path) -> None:
    ran = kb("rules", "export", "nagios")
    assert ran.status == 64
    assert "kb rules targets" in ran.err


def test_github_is_told_in_one_line(kb: Kb, base: Path) -> None:
    (base / "kb.toml").write_text('name = "test"\nsite_url = "https://kb.example"\n')
    ran = kb("annotate", "new.log", "--format", "github")
    assert ran.out.startswith("::error title=known%3A ")
    assert ran.out.count("\n") == 1
    assert "https://kb.example/s/kb1-" in ran.out


def test_a_log_cannot_give_a_command_to_ci(kb: Kb, base: Path) -> None:
    (base / "evil.log").write_bytes(b"ValueError: a%0A::set-env name=x::y\r::error::z\nError: ::stop-commands::t\n")
    for line in kb("annotate", "evil.log", "--format", "github").out.splitlines():
        assert line.startswith("::error title=")
        assert "\r" not in line


@pytest.mark.parametrize("form", ["github", "gitlab", "buildkite"])
@pytest.mark.parametrize("inside", [True, False], ids=["in a knowledge base", "without one"])
def test_an_annotation_holds_no_secret_and_keeps_paths(
    kb: Kb,
    base: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    form: str,
    inside: bool,
) -> None:
    if not inside:
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    log = f"ValueError: cannot log in at /home/ci/app.py with token={token}\n"
    said = kb("annotate", "--format", form, stdin=log.encode()).out
    assert token not in said
    assert "/home/ci/app.py" in said


def test_gitlab_gets_a_report_and_buildkite_markdown(kb: Kb, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (row,) = json.loads(kb("annotate", "new.log", "--format", "gitlab").out)
    assert row["check_name"].startswith("kb1-")
    assert set(row) == {"description", "check_name", "fingerprint", "severity", "location"}
    monkeypatch.setenv("BUILDKITE", "true")
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert kb("annotate", "new.log").out.startswith("**kb known**")


def test_nothing_failed_is_told_by_nothing(kb: Kb, base: Path) -> None:
    ran = kb("annotate", "--format", "github", stdin=b"all fine\n")
    assert (ran.status, ran.out) == (0, "")


def test_a_junit_report_gets_properties_for_its_failed_tests(kb: Kb, base: Path) -> None:
    from xml.sax.saxutils import escape

    log = escape((base / "new.log").read_text())
    (base / "r.xml").write_text(
        f"<testsuites><testsuite><testcase name='a'><failure message='m'>{log}</failure></testcase>"
        "<testcase name='b'/></testsuite></testsuites>"
    )
    ran = kb("annotate", "--format", "junit", "r.xml")
    assert ran.status == 0
    failed, passed = ElementTree.fromstring(ran.out).iter("testcase")
    told = {one.get("name"): one.get("value") for one in failed.iter("property")}
    assert told["kb.verdict"] == "known"
    assert str(told["kb.id"]).startswith("kb1-")
    assert not list(passed)


@pytest.mark.parametrize("text", ["<a", "<html/>", '<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>'])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_what_is_no_junit_report_is_refused(kb: Kb, base: Path, text: str, encoding: str) -> None:
    (base / "r.xml").write_text(text, encoding)
    assert kb("annotate", "--format", "junit", "r.xml").status == 66


def test_rules_of_another_tool_become_drafts_that_are_exported(kb: Kb, base: Path, checkout: Path) -> None:
    samples = checkout / "tests" / "rules" / "importers" / "samples"
    ran = kb("rules", "import", samples / "ruleset.toml")
    assert ran.status == 1
    assert "looks behind is left out" in ran.err
    assert (base / "drafts" / "ruleset.jsonl").is_file()
    out = kb("rules", "export", "github", "--drafts", base / "drafts" / "ruleset.jsonl").out
    assert "No space left on device" in out
    assert kb("rules", "import", samples / "rule.yml", "--format", "nagios").status == 64


def test_what_people_merged_keeps_a_rule_of_its_own_that_leads_to_the_same_page(kb: Kb, rich: Path) -> None:
    before = {row["owner"]: row["pattern"] for row in json.loads(kb("rules", "export", "github").out)["problemMatcher"]}
    kept, gone = sorted(before)[:2]
    assert kb("sig", "merge", kept, gone).status == 0
    after = {row["owner"]: row["pattern"] for row in json.loads(kb("rules", "export", "github").out)["problemMatcher"]}
    assert sorted(map(str, after.values())) == sorted(map(str, before.values()))
    assert set(after) == set(before)
