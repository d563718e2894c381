"""Vector's compiler and runtime take the program: a hit is tagged with its own signature, a near miss with none."""

from __future__ import annotations

from pathlib import Path

import pytest
from rule_tools import CASES, RULES, broken, write

from kb.rules.exporters.telling import title

vrl = pytest.importorskip("vrl_python", reason="vrl-python is not installed")


def tagged(source: str, message: object) -> dict[str, object]:
    event = {} if message is None else {"message": message}
    result = vrl.VRLRuntime().execute(source, event).processed_event
    return dict(result.get("kb") or {})


def test_a_hit_is_tagged_and_a_near_miss_is_not(tmp_path: Path) -> None:
    source = (write("vrl", tmp_path) / "kb.vrl").read_text()
    assert vrl.VRLRuntime().check_syntax(source) is None
    for case in CASES[::6]:
        found = tagged(source, case.hit)
        assert (found["id"], found["runbook_url"]) == (case.rule.id, case.rule.url)
        assert found["title"] == title(case.rule)
        assert tagged(source, case.miss) == {}
    assert tagged(source, None) == tagged(source, 7) == {}


def test_each_rule_alone_tells_hit_from_near_miss(tmp_path: Path) -> None:
    for case in CASES:
        source = (write("vrl", tmp_path, [case.rule]) / "kb.vrl").read_text()
        assert tagged(source, case.hit).get("id") == case.rule.id
        assert tagged(source, case.miss) == {}


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    source = (write("vrl", tmp_path, [RULES[0], broken()]) / "kb.vrl").read_text()
    assert "E101" in str(vrl.VRLRuntime().check_syntax(source))
