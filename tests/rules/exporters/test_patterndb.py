"""syslog-ng: pdbtool validates the database, and each message finds its own rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rule_tools import CASES, RULES, program, ran, write

from kb.rules.model import Piece
from kb.rules.portable import render


def test_pdbtool_accepts_the_database_and_its_examples(tmp_path: Path) -> None:
    program("xmllint")
    path = write("patterndb", tmp_path) / "kb-patterndb.xml"
    done = ran(program("pdbtool"), "test", "--validate", path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "conflict" not in (done.stdout + done.stderr).lower()


def test_a_message_finds_its_own_rule_and_a_near_miss_none(tmp_path: Path) -> None:
    path = write("patterndb", tmp_path) / "kb-patterndb.xml"
    for case in CASES[::10]:
        hit = ran(program("pdbtool"), "match", "-p", path, "-P", "python", "-M", f"worker: {case.hit}.")
        assert f"kb.id={case.rule.id}" in hit.stdout, case.hit
        assert f"kb.url={case.rule.url}" in hit.stdout
        miss = ran(program("pdbtool"), "match", "-p", path, "-P", "python", "-M", case.miss)
        assert "kb.id=" not in miss.stdout


def test_a_broken_database_is_reported(tmp_path: Path) -> None:
    path = write("patterndb", tmp_path, RULES[:1]) / "kb-patterndb.xml"
    path.write_text(path.read_text().replace("<url>", "<uri>").replace("</url>", "</uri>"))
    assert ran(program("pdbtool"), "test", "--validate", path).returncode != 0


def test_a_pattern_of_control_characters_leaves_the_database_valid(tmp_path: Path) -> None:
    program("xmllint")
    pieces = (Piece("bell \x07 and colour \x1b[31m in a line"),)
    rule = replace(RULES[0], pieces=pieces, pattern=render(pieces))
    path = write("patterndb", tmp_path, [rule, *RULES[1:3]]) / "kb-patterndb.xml"
    done = ran(program("pdbtool"), "test", "--validate", path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
