"""Jenkins: the file is well-formed, and Java matches whole lines as the plugin does."""

from __future__ import annotations

import base64
from pathlib import Path
from xml.etree import ElementTree

from rule_tools import CASES, RULES, broken, program, ran, write

#: The program of the test of engines; the plugin matches whole lines.
MATCH = Path(__file__).parent.parent / "engines" / "Match.java"


def causes(folder: Path) -> dict[str, str]:
    """pattern by id, as Jenkins would read them."""
    root = ElementTree.parse(folder / "build-failure-analyzer.xml")
    found = root.iter("com.sonyericsson.jenkins.plugins.bfa.model.FailureCause")
    return {one.findtext("id", ""): next(one.iter("pattern")).text or "" for one in found}


def matched(pairs: list[tuple[str, str]]) -> list[str]:
    text = "".join(" ".join(base64.b64encode(part.encode()).decode() for part in pair) + "\n" for pair in pairs)
    return ran(program("java"), MATCH, "whole", input=text).stdout.split()


def test_the_file_is_well_formed_and_whole(tmp_path: Path) -> None:
    folder = write("jenkins", tmp_path)
    assert ran(program("xmllint"), "--noout", folder / "build-failure-analyzer.xml").returncode == 0
    assert sorted(causes(folder)) == [rule.id for rule in RULES]


def test_java_matches_hits_and_no_near_miss(tmp_path: Path) -> None:
    patterns = causes(write("jenkins", tmp_path))
    program("javac")
    assert matched([(patterns[case.rule.id], f"[12:00] {case.hit} .") for case in CASES]) == ["1"] * len(CASES)
    assert matched([(patterns[case.rule.id], f"[12:00] {case.miss} .") for case in CASES]) == ["0"] * len(CASES)


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    program("javac")
    patterns = causes(write("jenkins", tmp_path, [broken()]))
    assert matched([(next(iter(patterns.values())), "x")]) == ["refused"]


def test_a_title_cannot_leave_its_element(tmp_path: Path) -> None:
    text = (write("jenkins", tmp_path) / "build-failure-analyzer.xml").read_text()
    assert "<b>" not in text
