"""SARIF 2.1.0: the signatures as a tool's catalogue of rules, for code scanning and for viewers of results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from kb import __version__
from kb.rules.exporters.json_text import json_text
from kb.rules.exporters.telling import advice, plain, title, where
from kb.rules.model import Exported, TriageRule

NAME = "sarif"
ABOUT = "SARIF 2.1.0: the signatures as a catalogue of rules, with help and links"
LOAD = "Upload it where SARIF is read, or merge its rules into a tool's own results."
PROVED = "sarif-multitool"

_WORD = re.compile(r"[A-Za-z0-9_.]+")
_LEVEL = {"critical": "error", "error": "error", "warning": "warning"}


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb.sarif`."""
    driver: dict[str, Any] = {
        "name": "kb",
        "fullName": plain(f"kb: {name}"),
        "semanticVersion": __version__,
        "informationUri": "https://pypi.org/project/kb-runbook/",
        "rules": [_rule(rule) for rule in rules],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": []}],
    }
    return (Exported("kb.sarif", json_text(log) + "\n"),)


def _rule(rule: TriageRule) -> dict[str, Any]:
    told = title(rule)
    out: dict[str, Any] = {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in _WORD.findall(rule.component)) + "Failure",
        "shortDescription": {"text": told if told.endswith(".") else f"{told}."},
        "fullDescription": {"text": plain(f"{told}. Seen in {rule.sessions} recorded debugging sessions.")},
        "help": {"text": f"{advice(rule)} {where(rule)}"},
        "defaultConfiguration": {"level": _LEVEL[rule.severity]},
        "properties": {
            "tags": sorted({rule.component, *rule.tags}),
            "kb": {"pattern": rule.pattern, "anchor": rule.anchor},
        },
    }
    if rule.url:
        out["helpUri"] = rule.url
    return out
