"""test-infra: a TOML reader loads the ruleset, Rust's regex finds hits only."""

from __future__ import annotations

import tomllib
from pathlib import Path

from rule_tools import CASES, RULES, broken, program, ran, write


def test_rust_finds_each_hit_and_no_near_miss(tmp_path: Path) -> None:
    rg, folder = program("rg"), write("testinfra", tmp_path)
    loaded = tomllib.loads((folder / "kb-ruleset.toml").read_text())["rule"]
    patterns = {rule["name"].split(":")[0]: rule["pattern"] for rule in loaded}
    assert list(patterns) == [rule.id for rule in RULES]
    for case in CASES[::3]:
        assert ran(rg, "-q", "-e", patterns[case.rule.id], "-", input=case.hit).returncode == 0
        assert ran(rg, "-q", "-e", patterns[case.rule.id], "-", input=case.miss).returncode == 1


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    text = (write("testinfra", tmp_path, [broken()]) / "kb-ruleset.toml").read_text()
    (rule,) = tomllib.loads(text)["rule"]
    assert ran(program("rg"), "-q", "-e", rule["pattern"], "-", input="x").returncode == 2
