"""node-problem-detector: its engine, anchored at the end of a line as the daemon anchors it, finds hits only."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import re2
from rule_tools import CASES, RULES, broken, write


def rules(folder: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((folder / "kb-monitor.json").read_text())["rules"]
    return found


def test_each_hit_gives_its_own_reason_and_no_near_miss(tmp_path: Path) -> None:
    loaded = rules(write("npd", tmp_path))
    assert len({rule["reason"] for rule in loaded}) == len(RULES)
    assert all(re.fullmatch(r"[A-Z][A-Za-z0-9_]*", rule["reason"]) for rule in loaded)
    by_reason = {"KB" + rule.id.removeprefix("kb").replace("-", "_"): rule.id for rule in RULES}
    cases = {case.rule.id: case for case in CASES}
    for rule in loaded:
        expression = re2.compile(rule["pattern"] + r"\z")
        assert expression.search(cases[by_reason[rule["reason"]]].hit + " and more")
        assert not expression.search(cases[by_reason[rule["reason"]]].miss)


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    with pytest.raises(re2.error):
        re2.compile(rules(write("npd", tmp_path, [broken()]))[0]["pattern"])
