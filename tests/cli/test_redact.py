"""`kb redact`, and the records that `kb check` refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from .conftest import Kb

NAME = "sessions/2026-01-31-parser-eats-commas.md"
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def put(base: Path, text: str) -> None:
    """Put `text` into the first attempt of the record, as a note."""
    record = base / NAME
    before, mark, after = record.read_text().partition("```console")
    record.write_text(f"{before}{text}\n\n{mark}{after}")


def test_a_record_that_holds_a_secret_has_a_problem_that_does_not_show_it(kb: Kb, base: Path) -> None:
    put(base, f"I used {TOKEN} for it.")
    ran = kb("check")
    assert ran.status == 1
    assert "a secret (github) is stored here" in ran.out
    assert ran.out.startswith(f"{NAME}:")
    assert TOKEN not in ran.out + ran.err
    assert [problem["code"] for problem in kb("check", "--json").json["problems"]] == ["secret"]


def test_a_personal_value_is_no_problem_of_a_record(kb: Kb, base: Path) -> None:
    put(base, "It was on 10.1.2.3.")
    assert kb("check").status == 0


def test_nothing_is_looked_for_when_redaction_is_off(kb: Kb, base: Path) -> None:
    put(base, f"I used {TOKEN} for it.")
    (base / "kb.toml").write_text('redaction = "off"\nredaction_off = "secrets may be stored"\n')
    assert kb("check").status == 0
    assert "redaction is off" in kb("redact").err


def test_deep_asks_an_independent_scanner(kb: Kb, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("betterleaks", reason="betterleaks is not installed")
    put(base, f"I used {TOKEN} for it.")
    ran = kb("check", "--deep")
    assert "betterleaks takes something here for a secret (github-pat)" in ran.out
    assert TOKEN not in ran.out
    monkeypatch.setitem(__import__("sys").modules, "betterleaks", None)
    assert "betterleaks is not installed" in kb("check", "--deep").err


def test_a_dry_run_shows_each_line_as_it_would_be_and_changes_nothing(kb: Kb, base: Path) -> None:
    put(base, f"I used {TOKEN} on 10.1.2.3.")
    before = (base / NAME).read_bytes()
    ran = kb("redact")
    assert ran.status == 1
    assert "+ I used <secret:github> on <ip:1>." in ran.out
    assert ran.out.endswith("1 line would change; `kb redact --write` changes them\n")
    assert TOKEN not in ran.out
    assert (base / NAME).read_bytes() == before


def test_writing_takes_it_out_and_the_record_stays_one(kb: Kb, base: Path) -> None:
    put(base, f"I used {TOKEN} on 10.1.2.3.")
    assert kb("redact", "--write").status == 0
    assert "I used <secret:github> on <ip:1>." in (base / NAME).read_text()
    assert kb("check") == (0, "1 record: no problem\n", "")
    assert kb("redact") == (0, "nothing to take out\n", "")


def test_numbers_that_a_record_has_already_are_not_given_again(kb: Kb, base: Path) -> None:
    put(base, "First <ip:3>, then 10.1.2.3.")
    kb("redact", "--write")
    assert "First <ip:3>, then <ip:4>." in (base / NAME).read_text()


def test_an_attribute_with_a_secret_stays_readable(kb: Kb, base: Path) -> None:
    record = base / NAME
    record.write_text(record.read_text().replace("```console {", "```console {cwd=/home/alice/app ", 1))
    assert kb("check").status == 0
    assert kb("redact", "--write").status == 0
    assert "/home/<user:1>/app" in record.read_text()
    assert kb("check").status == 0


def test_a_scan_names_the_lines_of_any_files_and_writes_nothing(kb: Kb, base: Path) -> None:
    (base / "deploy.sh").write_text(f"set -e\nexport TOKEN={TOKEN}\n")
    (base / "image.bin").write_bytes(b"\0\1" + TOKEN.encode())
    ran = kb("redact", "--scan", "--policy", "secrets", "deploy.sh", "image.bin")
    assert ran.status == 1
    assert ran.out.splitlines()[0] == "deploy.sh:2: github"
    assert TOKEN not in ran.out
    assert TOKEN in (base / "deploy.sh").read_text()


def test_a_scan_of_what_is_clean_succeeds(kb: Kb, base: Path) -> None:
    assert kb("redact", "--scan") == (0, "nothing to take out\n", "")


def test_a_file_that_cannot_be_read_is_an_error_beside_the_others(kb: Kb, base: Path) -> None:
    ran = kb("redact", "missing.md", NAME)
    assert ran.status == 66
    assert "missing.md" in ran.err


def test_the_hooks_for_pre_commit_call_what_there_is(kb: Kb, base: Path, checkout: Path) -> None:
    hooks = yaml.safe_load((checkout / ".pre-commit-hooks.yaml").read_text())
    assert {hook["id"] for hook in hooks} == {"kb-redact", "kb-secrets"}
    for hook in hooks:
        name, *arguments = hook["entry"].split()
        assert name == "kb"
        assert kb(*arguments, NAME) == (0, "nothing to take out\n", "")


def test_the_index_and_the_site_name_a_record_that_holds_a_secret_and_do_not_show_it(kb: Kb, base: Path) -> None:
    put(base, f"I used {TOKEN} for it.")
    number = (base / NAME).read_text().splitlines().index(f"I used {TOKEN} for it.") + 1
    told = f"{NAME}:{number}: a secret (github) is stored here"
    for command in (("index",), ("site", "build"), ("index",), ("site", "build")):
        ran = kb(*command)
        assert ran.status == 0
        assert told in ran.err, command
        assert TOKEN not in ran.out + ran.err
    assert kb("redact", "--write").status == 0
    assert told not in kb("index").err
    assert told not in kb("site", "build").err


def text_below(folder: Path) -> str:
    return "".join(path.read_text("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


def test_a_session_with_a_secret_is_not_published_until_the_secret_is_gone(kb: Kb, base: Path) -> None:
    name = Path(NAME).stem
    assert kb("site", "build").status == 0
    assert (base / "public" / "sessions" / name / "index.html").is_file()
    put(base, f"I used {TOKEN} for it.")
    for command, folder in ((("site", "build"), "public"), (("site", "pages", "markdown"), "markdown")):
        ran = kb(*command)
        assert ran.status == 0
        assert f"left out: session {name}" in ran.err
        written = text_below(base / folder)
        assert TOKEN not in written
        assert name not in written
    assert kb("site", "build", "--strict").status == 70
    assert kb("redact", "--write").status == 0
    ran = kb("site", "build")
    assert "left out" not in ran.err
    assert "I used &lt;secret:github&gt; for it." in text_below(base / "public" / "sessions" / name)


def test_rules_show_examples_as_they_were_redacted(kb: Kb, base: Path) -> None:
    put(base, f"```log\nRuntimeError: the token {TOKEN} of jane.roe@corp.io has expired\n```")
    assert kb("redact", "--write").status == 0
    kb("index")
    ran = kb("rules", "export", "jsonl", "--output", "rules")
    assert ran.status == 0
    written = "".join(path.read_text() for path in (base / "rules").rglob("*") if path.is_file())
    assert written
    assert TOKEN not in written + ran.out
    assert "jane.roe" not in written


def test_decisions_are_cleaned_like_records(kb: Kb, base: Path) -> None:
    decision = base / "decisions" / "by-hand.yaml"
    decision.parent.mkdir(exist_ok=True)
    decision.write_text(f"kb: 1\nname: kb1-aaaaaaaaaa\ntitle: No login with {TOKEN}\n")
    assert "by-hand.yaml:3: a secret (github) is stored here" in kb("check").out.replace("\\", "/")
    assert kb("redact").status == 1
    assert kb("redact", "--write").status == 0
    assert yaml.safe_load(decision.read_text())["title"] == "No login with <secret:github>"
    assert kb("check").status == 0
