"""Links in a knowledge base that lead out of it: what lies there is never read as one of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Kb

NAME = "2026-01-31-parser-eats-commas.md"
SAID = f"{NAME}: is or lies behind a link that leads out of the knowledge base, and is not read"


@pytest.fixture
def linked(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base whose only record is a link to a file elsewhere, which holds a secret."""
    outside = tmp_path_factory.mktemp("outside") / NAME
    record = base / "sessions" / NAME
    outside.write_text(record.read_text() + "\nexport DB_PASSWORD=hunter2hunter2\n")
    record.unlink()
    record.symlink_to(outside)
    return outside


def test_a_record_that_leads_out_is_named_and_not_read(kb: Kb, base: Path, linked: Path) -> None:
    before = linked.read_bytes()
    for command in (["check"], ["check", f"sessions/{NAME}"], ["fmt"], ["fmt", f"sessions/{NAME}"], ["redact"]):
        ran = kb(*command)
        assert ran.status in (1, 65, 66), command
        assert SAID in ran.out + ran.err, command
        assert "secret" not in ran.out, command
    for command in (["redact", "--write"], ["redact", "--write", f"sessions/{NAME}"], ["resume", "parser"]):
        ran = kb(*command)
        assert ran.status in (64, 66), command
        assert "leads out of the knowledge base" in ran.err, command
    assert linked.read_bytes() == before
    assert (base / "sessions" / NAME).is_symlink()
    built = kb("index")
    assert built.status == 0
    assert SAID in built.err
    assert built.out.startswith("0 sessions in the index")
    assert kb("status", "--session", NAME.removesuffix(".md")).status == 64
    assert kb("log", "--session", NAME.removesuffix(".md"), "new.log").status == 64


def test_of_a_link_what_git_stores_is_scanned(kb: Kb, base: Path, linked: Path) -> None:
    assert kb("redact", "--scan", "--policy", "secrets", f"sessions/{NAME}").status == 0
    (base / "home").symlink_to("/home/alice/notes")
    assert kb("redact", "--scan", "home").out.startswith("home:1: user")


def test_a_link_within_the_knowledge_base_is_followed(kb: Kb, base: Path) -> None:
    (base / "archive").mkdir()
    (base / "sessions" / NAME).rename(base / "archive" / NAME)
    (base / "sessions" / NAME).symlink_to(Path("..") / "archive" / NAME)
    assert kb("check").out == "1 record: no problem\n"
    assert kb("index").out.startswith("1 session in the index")


def test_a_folder_of_sessions_elsewhere_is_refused(
    kb: Kb, base: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (base / "sessions").rename(outside / "sessions")
    (base / "sessions").symlink_to(outside / "sessions")
    for command in (["check"], ["index"], ["redact"], ["start", "x"], ["check", f"sessions/{NAME}"]):
        ran = kb(*command)
        assert ran.status in (66, 74), command
        assert "leads out of the knowledge base" in ran.err + ran.out, command
    assert [path.name for path in (outside / "sessions").iterdir()] == [NAME]
