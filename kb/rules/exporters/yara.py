"""YARA rules: collections of log files can be swept for known failures by the tools that a security team has."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kb.rules.exporters.telling import advice, component, title
from kb.rules.model import Exported, TriageRule

NAME = "yara"
ABOUT = "YARA rules: sweep folders of logs; title, fix and link travel in the rule's metadata"
LOAD = "yr scan kb.yar LOGS (or yara -r kb.yar LOGS)"
PROVED = "YARA-X"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb.yar`."""
    return (Exported("kb.yar", "\n".join(["// Made by kb; do not edit.\n", *map(_rule, rules)])),)


def _rule(rule: TriageRule) -> str:
    told = {
        "id": rule.id,
        "title": title(rule),
        "component": component(rule),
        "severity": rule.severity,
        "fix": advice(rule),
        "runbook_url": rule.url,
    }
    meta = "".join(f"    {key} = {json.dumps(value)}\n" for key, value in told.items() if value)
    slashed = rule.pattern.replace("/", "\\/")
    return (
        f"rule {rule.id.replace('-', '_')}\n{{\n  meta:\n{meta}"
        f"  strings:\n    $line = /{slashed}/\n  condition:\n    $line\n}}\n"
    )
