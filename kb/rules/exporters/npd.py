"""node-problem-detector: an event of the node for each line that is a known failure."""

from __future__ import annotations

from collections.abc import Sequence

from kb.rules.exporters.json_text import json_text
from kb.rules.model import Exported, TriageRule

NAME = "npd"
ABOUT = "Kubernetes node-problem-detector: events of a node for known failures in its journal or kernel log"
LOAD = "Mount kb-monitor.json and name it in --config.system-log-monitor; logPath and plugin are yours to set."
PROVED = "RE2, which Go's regexp is a copy of; the daemon is not run"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-monitor.json`. The daemon anchors an expression at the end of the line."""
    monitor = {
        "plugin": "journald",
        "pluginConfig": {"source": ""},
        "logPath": "/var/log/journal",
        "lookback": "5m",
        "bufferSize": 10,
        "source": "kb-monitor",
        "conditions": [],
        "rules": [{"type": "temporary", "reason": reason(rule), "pattern": f"{rule.pattern}.*"} for rule in rules],
    }
    return (Exported("kb-monitor.json", json_text(monitor) + "\n"),)


def reason(rule: TriageRule) -> str:
    """The id as a reason, which is one word that begins with a capital letter."""
    return "KB" + rule.id.removeprefix("kb").replace("-", "_")
