"""node-problem-detector's monitors."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kb.errors import InputError, Location
from kb.rules.drafts import Imported, Left
from kb.rules.importers.interface import Found, Lines, imported

NAME = "npd"
ABOUT = "Kubernetes node-problem-detector system log monitors (JSON)"


def knows(path: str, text: str) -> bool:
    """A JSON file with rules that have a reason and a pattern."""
    return path.endswith(".json") and '"reason"' in text and '"pattern"' in text and '"rules"' in text


def read(path: str, text: str) -> Imported:
    """Its rules; a pattern must end where the line ends there, so `.*` at its end says nothing."""
    try:
        rules = json.loads(text).get("rules", [])
    except (ValueError, AttributeError, RecursionError) as error:
        raise InputError(f"is not valid JSON: {error}", location=Location(path)) from error
    return imported(NAME, path, _found(rules, text))


def _found(rules: object, text: str) -> Iterator[Found | Left]:
    lines = Lines(text)
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, dict) and isinstance(rule.get("pattern"), str):
            pattern = rule["pattern"]
            ended = pattern if pattern.endswith((".*", "$")) else f"{pattern}$"
            reason = str(rule.get("reason", ""))
            yield Found(reason, ended, lines.of(f'"{reason}"'), note=str(rule.get("condition", "")))
        else:
            yield Left(str(rule)[:80], 0, "it has no pattern")
