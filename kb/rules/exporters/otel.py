"""A transform processor for the OpenTelemetry Collector."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kb.rules.exporters.telling import advice, component, headline, title
from kb.rules.exporters.yaml_text import yaml_text
from kb.rules.model import Exported, TriageRule

NAME = "otel"
ABOUT = "OpenTelemetry Collector (transform processor): log records get kb.id, kb.fix and kb.runbook_url"
LOAD = "Merge kb-otel.yml into the collector's configuration and name transform/kb in a logs pipeline."
PROVED = "RE2, which Go's regexp is a copy of; not validated by the collector itself"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-otel.yml`. The first rule that matches a record wins."""
    statements = [one for rule in rules for one in _statements(rule)]
    processor = {"error_mode": "ignore", "log_statements": [{"context": "log", "statements": statements}]}
    head = "Not validated by the collector itself. Made by kb; do not edit.\n" + "\n".join(map(headline, rules))
    return (Exported("kb-otel.yml", yaml_text({"processors": {"transform/kb": processor}}, head)),)


def _statements(rule: TriageRule) -> list[str]:
    when = f'where attributes["kb.id"] == nil and IsMatch(body, {json.dumps(rule.pattern)})'
    # The id is set last: the others are set under the condition that it is not yet.
    values = {"kb.title": title(rule), "kb.component": component(rule), "kb.fix": advice(rule)}
    if rule.url:
        values["kb.runbook_url"] = rule.url
    values["kb.id"] = rule.id
    told = (f"set(attributes[{json.dumps(key)}], {json.dumps(value)}) {when}" for key, value in values.items())
    return [_configured(statement) for statement in told]


def _configured(text: str) -> str:
    """`text` in a configuration of the collector, where a dollar sign begins a variable."""
    return text.replace("$", "$$")
