"""Allure's categories: failed tests are grouped by the signature that their message shows."""

from __future__ import annotations

from collections.abc import Sequence

from kb.rules.exporters.json_text import json_text
from kb.rules.exporters.telling import advice, headline, where
from kb.rules.model import Exported, TriageRule

NAME = "allure"
ABOUT = "Allure categories.json: failed tests grouped by signature, with the fix and the link"
LOAD = "Copy categories.json into allure-results/ before `allure generate`; keep these categories first."
PROVED = "allure-commandline"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`categories.json`. Allure 2 matches the whole message, Allure 3 searches in it: the pattern suits both."""
    rows = [
        {
            "name": headline(rule),
            "description": f"{advice(rule)} {where(rule)}",
            "messageRegex": f".*{rule.pattern}.*",
            "matchedStatuses": ["failed", "broken"],
        }
        for rule in rules
    ]
    return (Exported("categories.json", json_text(rows) + "\n"),)
