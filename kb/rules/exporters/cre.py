"""Common Reliability Enumeration rules, as prequel's preq reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kb.rules.exporters.telling import advice, component, plain, title
from kb.rules.exporters.yaml_text import yaml_text
from kb.rules.model import Exported, TriageRule

NAME = "cre"
ABOUT = "CRE rules (preq): title, cause, mitigation and references beside the pattern"
LOAD = "preq -r kb-cre.yml"
PROVED = "a schema after the compiler's own fields, and RE2 for the patterns; preq itself is not run"

_SEVERITY = {"critical": 0, "error": 1, "warning": 2}


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-cre.yml`."""
    return (Exported("kb-cre.yml", yaml_text({"rules": [_rule(rule) for rule in rules]}, "Made by kb; do not edit.")),)


def _rule(rule: TriageRule) -> dict[str, Any]:
    return {
        "cre": {
            "id": rule.id,
            "severity": _SEVERITY[rule.severity],
            "title": title(rule),
            "category": component(rule),
            "tags": sorted({component(rule), *filter(None, map(plain, rule.tags))}),
            "author": "kb",
            "description": plain(f"{rule.title}. Seen in {rule.sessions} recorded debugging sessions."),
            "cause": plain(f"{rule.type}: {rule.message}" if rule.type else rule.message) or title(rule),
            "impact": "The program that logs it fails.",
            "mitigation": advice(rule),
            "references": [rule.url] if rule.url else [],
            "applications": [{"name": component(rule)}],
        },
        "metadata": {"kind": "prequel", "id": rule.id.replace("-", ""), "generation": 1},
        "rule": {"set": {"event": {"source": "cre.log"}, "match": [{"regex": rule.pattern}]}},
    }
