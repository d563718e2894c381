"""Log monitoring of SageMaker HyperPod's training operator."""

from __future__ import annotations

from collections.abc import Sequence

from kb.rules.exporters.telling import headline
from kb.rules.exporters.yaml_text import yaml_text
from kb.rules.model import Exported, TriageRule

NAME = "hyperpod"
ABOUT = "SageMaker HyperPod logMonitoringConfiguration: a job is faulted when a known failure is logged"
LOAD = "Put the list under spec.logMonitoringConfiguration of a HyperPodPyTorchJob, and apply it with kubectl."
PROVED = "the evaluator of hyperpod-elastic-agent"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-log-monitoring.yml`. The agent matches from the start of a line."""
    rows = [{"name": rule.id, "logPattern": f".*{rule.pattern}", "faultOnMatch": True} for rule in rules]
    text = yaml_text({"logMonitoringConfiguration": rows}, "\n".join(headline(rule) for rule in rules))
    return (Exported("kb-log-monitoring.yml", text),)
