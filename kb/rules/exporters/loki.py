"""Rules for Loki's ruler: LogQL alerts, the cheap anchor first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kb.rules.exporters.prometheus import annotations_of, go_template, labels
from kb.rules.exporters.yaml_text import yaml_text
from kb.rules.model import Exported, TriageRule

NAME = "loki"
ABOUT = "Grafana Loki ruler: alerts on log lines, with the fix and the runbook link"
LOAD = 'Put kb-loki.yml where the ruler reads its rule groups; replace the selector {job=~".+"} by your streams.'
PROVED = "@grafana/lezer-logql, and Go's strconv and regexp where Go is installed"

SELECTOR = '{job=~".+"}'


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-loki.yml`."""
    groups = [{"name": "kb", "interval": "1m", "rules": [_alert(rule) for rule in rules]}] if rules else []
    return (Exported("kb-loki.yml", yaml_text({"groups": groups}, "For Loki's ruler. Made by kb; do not edit.")),)


def expression(rule: TriageRule) -> str:
    """The LogQL of a rule."""
    lines = f"{SELECTOR} |= {quoted(rule.anchor)} |~ {quoted(rule.pattern)}"
    return f"sum by (namespace, pod) (count_over_time({lines} [10m])) > 0"


def quoted(text: str) -> str:
    """`text` as a string of Go: raw, or with escapes when it holds a backquote."""
    return json.dumps(text) if "`" in text else f"`{text}`"


def _alert(rule: TriageRule) -> dict[str, Any]:
    return {
        "alert": "KbKnownFailure",
        "expr": expression(rule),
        "labels": labels(rule),
        "annotations": {key: go_template(text) for key, text in annotations_of(rule).items()},
    }
