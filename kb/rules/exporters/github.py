"""GitHub Actions problem matchers (Azure Pipelines and VS Code read the same form)."""

from __future__ import annotations

from collections.abc import Sequence

from kb.rules.exporters.json_text import json_text
from kb.rules.model import Exported, TriageRule

NAME = "github"
ABOUT = "GitHub Actions problem matcher: a failing step's line becomes an annotation"
LOAD = 'In a step: echo "::add-matcher::kb-problem-matcher.json". `kb annotate` adds the fix and the link.'
PROVED = "JavaScript's engine, and @rushstack/problem-matcher"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-problem-matcher.json`. A matcher cannot say more than the line holds: only its owner names the signature."""
    matchers = [
        {
            "owner": rule.id,
            "severity": "warning" if rule.severity == "warning" else "error",
            "pattern": [{"regexp": f"({rule.pattern})", "message": 1}],
        }
        for rule in rules
    ]
    return (Exported("kb-problem-matcher.json", json_text({"problemMatcher": matchers}) + "\n"),)
