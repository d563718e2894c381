"""Allure puts a failed test into the category of its signature, and a near miss into none of them."""

from __future__ import annotations

import json
from pathlib import Path

from rule_tools import CASES, broken, node_program, program, ran, write


def report(folder: Path, messages: list[str], rules: object = None) -> dict[str, int]:
    """The number of tests in each category that Allure made of failed tests with these messages."""
    results = write("allure", folder / "results") if rules is None else write("allure", folder / "results", rules)  # type: ignore[arg-type]
    for number, message in enumerate(messages):
        row = {"uuid": f"u{number}", "name": f"test {number}", "status": "failed", "start": 1, "stop": 2,
               "historyId": f"h{number}", "statusDetails": {"message": message, "trace": "t"}}  # fmt: skip
        (results / f"{number}-result.json").write_text(json.dumps(row))
    done = ran(node_program("allure"), "generate", results, "-o", folder / "out", "--clean")
    assert done.returncode == 0, done.stdout + done.stderr
    tree = json.loads((folder / "out" / "data" / "categories.json").read_text())
    return {one["name"].split(":")[0]: len(one["children"]) for one in tree["children"]}


def test_a_failed_test_lands_in_its_category(tmp_path: Path) -> None:
    program("java")
    messages = [f"first line\n{case.hit}\nlast line" for case in CASES]
    found = report(tmp_path, [*messages, *(case.miss for case in CASES)])
    assert {case.rule.id for case in CASES} <= set(found)
    assert len(set(found) - {case.rule.id for case in CASES}) == 1  # Allure's own category of all other failures


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    program("java")
    results = write("allure", tmp_path / "results", [broken()])
    (results / "1-result.json").write_text(
        json.dumps({"uuid": "u", "name": "t", "status": "failed", "statusDetails": {"message": "m"}})
    )
    done = ran(node_program("allure"), "generate", results, "-o", tmp_path / "out", "--clean")
    assert done.returncode != 0 or "PatternSyntaxException" in done.stdout + done.stderr
