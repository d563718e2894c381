"""CRE: the fields are the compiler's, and its engine's twin finds hits only."""

from __future__ import annotations

from pathlib import Path

import pytest
import re2
import yaml
from jsonschema import Draft202012Validator
from rule_tools import CASES, RULES, broken, write

_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": _TEXT}
#: The fields that the compiler of rules reads, as its sources name them.
_SCHEMA = {
    "type": "object",
    "required": ["cre", "metadata", "rule"],
    "additionalProperties": False,
    "properties": {
        "cre": {
            "type": "object",
            "additionalProperties": False,
            "required": ["id", "severity", "title"],
            "properties": {
                "id": _TEXT, "severity": {"type": "integer", "minimum": 0, "maximum": 4}, "title": _TEXT, "category": _TEXT,
                "tags": _TEXTS, "author": _TEXT, "description": _TEXT, "cause": _TEXT, "impact": _TEXT, "mitigation": _TEXT,
                "references": _TEXTS, "applications": {"type": "array", "items": {"type": "object", "required": ["name"]}},
            },
        },
        "metadata": {"type": "object", "required": ["kind", "id", "generation"]},
        "rule": {
            "type": "object",
            "required": ["set"],
            "properties": {"set": {"type": "object", "required": ["event", "match"], "properties": {
                "match": {"type": "array", "minItems": 1, "items": {"type": "object", "required": ["regex"]}}}}},
        },
    },
}  # fmt: skip


def loaded(folder: Path) -> list[dict[str, dict[str, object]]]:
    rules: list[dict[str, dict[str, object]]] = yaml.safe_load((folder / "kb-cre.yml").read_text())["rules"]
    return rules


def regex(rule: dict[str, dict[str, object]]) -> str:
    return str(rule["rule"]["set"]["match"][0]["regex"])  # type: ignore[index]


def test_every_rule_has_the_fields_and_finds_hits_only(tmp_path: Path) -> None:
    rules = loaded(write("cre", tmp_path))
    validator = Draft202012Validator(_SCHEMA)
    assert [error.message for rule in rules for error in validator.iter_errors(rule)] == []
    assert [rule["cre"]["id"] for rule in rules] == [rule.id for rule in RULES]
    cases = {case.rule.id: case for case in CASES}
    for rule in rules:
        case = cases[str(rule["cre"]["id"])]
        assert re2.search(regex(rule), case.hit)
        assert not re2.search(regex(rule), case.miss)


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    (rule,) = loaded(write("cre", tmp_path, [broken()]))
    with pytest.raises(re2.error):
        re2.compile(regex(rule))
    del rule["cre"]["title"]
    assert list(Draft202012Validator(_SCHEMA).iter_errors(rule))
