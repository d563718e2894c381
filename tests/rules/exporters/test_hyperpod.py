"""HyperPod: the agent's own evaluator faults a job on a hit, and not on a near miss."""

from __future__ import annotations

import importlib.util
import re
import sys
import types
from pathlib import Path

import pytest
import yaml
from rule_tools import CASES, RULES, TOOLS, broken, write


def agent():  # type: ignore[no-untyped-def]
    """The module of the agent that evaluates logs, loaded alone: its package imports PyTorch."""
    found = list((TOOLS / "hyperpod").glob("**/logagent/log_agent.py"))
    if not found:
        pytest.skip("hyperpod-elastic-agent is not installed (make tools)")
    for name in ("hyperpod_elastic_agent", "hyperpod_elastic_agent.logging"):
        sys.modules.setdefault(name, types.ModuleType(name))
    logging = sys.modules["hyperpod_elastic_agent.logging"]
    logging.get_logger = lambda *_: __import__("logging").getLogger("agent")  # type: ignore[attr-defined]
    spec = importlib.util.spec_from_file_location("kb_tests_log_agent", found[0])
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def loaded(folder: Path) -> list[dict[str, object]]:
    rules: list[dict[str, object]] = yaml.safe_load((folder / "kb-log-monitoring.yml").read_text())[
        "logMonitoringConfiguration"
    ]
    return rules


def test_a_hit_faults_the_job_and_a_near_miss_does_not(tmp_path: Path) -> None:
    module = agent()
    rules = loaded(write("hyperpod", tmp_path))
    assert [rule["name"] for rule in rules] == [rule.id for rule in RULES]
    cases = {case.rule.id: case for case in CASES}
    for rule in rules:
        case = cases[str(rule["name"])]
        for text, state in ((f"   {case.hit}", "FAULTED"), (case.miss, "WAITING")):
            assert state in str(module.LogEvaluator(rule).evaluate(text)[0]), text


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    module = agent()
    (rule,) = loaded(write("hyperpod", tmp_path, [broken()]))
    with pytest.raises(re.error):
        module.LogEvaluator(rule).evaluate("x")
