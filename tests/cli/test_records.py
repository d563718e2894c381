"""`kb check`, `kb fmt`, `kb index`: what they do to the records of a knowledge base."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Kb

NAME = "sessions/2026-01-31-parser-eats-commas.md"


def break_it(base: Path) -> None:
    record = base / NAME
    record.write_text(record.read_text().replace("exit=1 ", "exti=1 ").replace("kind=patch", "kind=glue"))


def test_a_good_record_has_no_problem(kb: Kb, base: Path) -> None:
    assert kb("check") == (0, "1 record: no problem\n", "")


def test_every_problem_is_named_with_file_line_and_what_would_be_right(kb: Kb, base: Path) -> None:
    break_it(base)
    ran = kb("check")
    assert ran.status == 1
    first, *_, last = ran.out.splitlines()
    assert first.startswith(f"{NAME}:16: column 13: unknown attribute exti")
    assert "did you mean exit?" in first
    assert last == "1 record: 4 problems"


def test_a_line_end_in_a_file_name_prints_no_second_line(kb: Kb, base: Path) -> None:
    (base / NAME).rename(base / "sessions" / "a\nb.md")
    (base / "sessions" / "a\nb.md").write_text("no record")
    for command in ("check", "index", "fmt"):
        ran = kb(command)
        assert not [line for line in (ran.out + ran.err).splitlines() if line.startswith("b.md")]


def test_problems_are_printed_as_json(kb: Kb, base: Path) -> None:
    break_it(base)
    ran = kb("check", "--json")
    assert ran.status == 1
    assert ran.json["files"] == 1
    assert ran.json["problems"][0]["code"] == "unknown-attribute"
    assert ran.json["problems"][0]["line"] == 16


def test_files_are_checked_without_a_knowledge_base(kb: Kb, base: Path) -> None:
    (base / "kb.toml").unlink()
    assert kb("check", NAME).status == 0


def test_a_file_that_cannot_be_read_is_a_problem_beside_the_others(kb: Kb, base: Path) -> None:
    ran = kb("check", "missing.md", NAME)
    assert ran.status == 66
    assert ran.out.splitlines() == [
        "missing.md: cannot be read: No such file or directory",
        "2 records: 1 problem",
    ]


def test_fmt_says_when_a_file_cannot_be_read(kb: Kb, base: Path) -> None:
    ran = kb("fmt", "missing.md", NAME)
    assert ran.status == 66
    assert "missing.md: cannot be read" in ran.err


def test_a_readme_that_is_named_beside_records_is_skipped(kb: Kb, base: Path) -> None:
    readme = base / "sessions" / "README.md"
    readme.write_text("# Sessions\n")
    ran = kb("check", NAME, readme)
    assert (ran.status, ran.out) == (0, "1 record: no problem\n")
    assert "README.md is no record: skipped" in ran.err
    assert kb("fmt", "--check", NAME, readme).status == 0


@pytest.mark.parametrize("broken", ["folder", "lock"])
def test_an_index_that_cannot_be_written_says_what_to_do(kb: Kb, base: Path, broken: str) -> None:
    if broken == "folder":
        (base / ".kb").write_text("a file")
    else:
        (base / ".kb").mkdir()
        (base / ".kb" / "index.lock").write_bytes(b"no database at all" * 100)
    for command in (("index",), ("index", "--rebuild"), ("search", "comma"), ("show", "accept-decimal-comma")):
        ran = kb(*command)
        assert ran.status == 74
        assert ("remove or rename that file" if broken == "folder" else "delete this file") in ran.err
        assert "Traceback" not in ran.err


def test_a_folder_that_does_not_exist_is_said_to_be_missing(
    kb: Kb, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in (("check",), ("triage", "new.log"), ("search", "comma")):
        ran = kb("--kb", "nowhere", *command)
        assert (ran.status, ran.out) == (64, "")
        assert "the folder nowhere does not exist" in ran.err
        monkeypatch.setenv("KB_HOME", "elsewhere")
        ran = kb(*command)
        assert ran.status == 64
        assert "the folder elsewhere that KB_HOME names does not exist" in ran.err
        monkeypatch.delenv("KB_HOME")


def test_fmt_leaves_a_canonical_record_alone(kb: Kb, base: Path) -> None:
    before = (base / NAME).read_bytes()
    assert kb("fmt") == (0, "", "")
    assert (base / NAME).read_bytes() == before


def test_fmt_writes_the_canonical_form_and_check_writes_nothing(kb: Kb, base: Path) -> None:
    canonical = (base / NAME).read_text()
    other = canonical.replace("{exit=1 duration=2s}", "{duration=2000ms exit=1}") + "\n\n"
    (base / NAME).write_text(other)
    ran = kb("fmt", "--check")
    assert (ran.status, ran.out.split()[:2]) == (1, ["would", "change"])
    assert (base / NAME).read_text() == other
    assert kb("fmt").status == 0
    assert (base / NAME).read_text() == canonical


def test_fmt_leaves_a_record_with_problems_alone_and_says_so(kb: Kb, base: Path) -> None:
    break_it(base)
    before = (base / NAME).read_bytes()
    ran = kb("fmt")
    assert ran.status == 65
    assert "unknown attribute exti" in ran.err
    assert (base / NAME).read_bytes() == before


def test_only_records_that_changed_are_read_again(kb: Kb, base: Path) -> None:
    assert kb("index").out == "1 session in the index; read anew: 1, gone: 0\n"
    assert kb("index").out == "1 session in the index; read anew: 0, gone: 0\n"
    assert kb("index", "--rebuild").out == "1 session in the index; read anew: 1, gone: 0\n"


def test_a_readme_beside_the_records_is_none_of_them(kb: Kb, base: Path) -> None:
    (base / "sessions" / "README.md").write_text("# Sessions\n")
    assert kb("index").err == ""
    assert kb("check").out == "1 record: no problem\n"


def test_the_index_is_counted_as_json(kb: Kb, base: Path) -> None:
    counted = {"sessions": 1, "changed": 1, "removed": 0, "problems": 0, "former": 0}
    assert kb("index", "--json").json == counted


def test_a_record_with_a_problem_is_indexed_as_far_as_it_can_be_read(kb: Kb, base: Path) -> None:
    break_it(base)
    ran = kb("index")
    assert ran.status == 0
    assert "unknown attribute exti" in ran.err
    assert ran.out.startswith("1 session in the index")
