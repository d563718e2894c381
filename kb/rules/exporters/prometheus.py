"""Prometheus alerting rules over the counter that the mtail program keeps, with tests and a route for Alertmanager."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kb.rules.exporters.telling import advice, label, title, where
from kb.rules.exporters.yaml_text import yaml_text
from kb.rules.model import Exported, TriageRule

NAME = "prometheus"
ABOUT = "Prometheus alert rules with promtool tests, and an Alertmanager route; counted by the target mtail"
LOAD = "rule_files: [kb-alerts.yml]; promtool test rules kb-alerts.test.yml; kb-route.yml goes into alertmanager.yml."
PROVED = "promtool, amtool"

_COUNTER = "kb_signature_total"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-alerts.yml`, `kb-alerts.test.yml` and `kb-route.yml`."""
    groups = [{"name": "kb", "rules": [_alert(rule) for rule in rules]}] if rules else []
    tests = {
        "rule_files": ["kb-alerts.yml"],
        "evaluation_interval": "1m",
        "tests": [_test(rule) for rule in rules],
    }
    route = {
        "route": {
            "receiver": "default",
            "routes": [{"receiver": "kb", "matchers": ['kb_id=~"kb[0-9]+-.+"'], "group_by": ["kb_id"]}],
        },
        "receivers": [{"name": "default"}, {"name": "kb"}],
    }
    head = "Counted by kb.mtail (kb rules export mtail). Made by kb; do not edit."
    return (
        Exported("kb-alerts.yml", yaml_text({"groups": groups}, head)),
        Exported("kb-alerts.test.yml", yaml_text(tests, "promtool test rules kb-alerts.test.yml")),
        Exported("kb-route.yml", yaml_text(route, "A route for these alerts: merge it into your alertmanager.yml.")),
    )


def labels(rule: TriageRule) -> dict[str, str]:
    """The labels of an alert: the signature, its component and its severity."""
    return {"kb_id": rule.id, "component": label(rule), "severity": rule.severity}


def annotations_of(rule: TriageRule) -> dict[str, str]:
    """What the alert says to people: title, fix, and where to read on."""
    out = {"summary": title(rule), "description": advice(rule)}
    return {**out, "runbook_url": rule.url} if rule.url else {**out, "runbook": where(rule)}


def _alert(rule: TriageRule) -> dict[str, Any]:
    return {
        "alert": "KbKnownFailure",
        "expr": f'increase({_COUNTER}{{kb_id="{rule.id}"}}[10m]) > 0',
        "labels": labels(rule),
        "annotations": {key: go_template(text) for key, text in annotations_of(rule).items()},
    }


def go_template(text: str) -> str:
    """`text` for a field that is a Go template: what opens an action there is printed by one."""
    return text.replace("{{", '{{ "{{" }}')


def _test(rule: TriageRule) -> dict[str, Any]:
    series = f'{_COUNTER}{{kb_id="{rule.id}",component="{label(rule)}",instance="host:3903"}}'
    expected = {"exp_labels": {**labels(rule), "instance": "host:3903"}, "exp_annotations": annotations_of(rule)}
    return {
        "interval": "1m",
        "input_series": [{"series": series, "values": "0 0 1 1 1"}],
        "alert_rule_test": [{"eval_time": "4m", "alertname": "KbKnownFailure", "exp_alerts": [expected]}],
    }
