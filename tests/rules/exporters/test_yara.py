"""YARA-X compiles the rules; each hit is found by its own rule alone, a near miss by none."""

from __future__ import annotations

from pathlib import Path

import pytest
from rule_tools import CASES, RULES, broken, write

yara = pytest.importorskip("yara_x", reason="yara-x is not installed")


def found(rules: object, text: str) -> list[str]:
    matching = rules.scan(text.encode()).matching_rules  # type: ignore[attr-defined]
    return [dict(rule.metadata)["id"] for rule in matching]


def test_each_hit_is_found_by_its_own_rule_and_no_near_miss(tmp_path: Path) -> None:
    rules = yara.compile((write("yara", tmp_path) / "kb.yar").read_text())
    assert [found(rules, case.hit) for case in CASES] == [[case.rule.id] for case in CASES]
    assert [case.miss for case in CASES if found(rules, case.miss)] == []


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    with pytest.raises(yara.CompileError, match="unclosed group"):
        yara.compile((write("yara", tmp_path, [RULES[0], broken()]) / "kb.yar").read_text())
