"""JSON Lines: one rule a line, described by a JSON Schema. The form that holds everything; others can be made of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kb.rules.exporters.json_text import json_text
from kb.rules.model import Exported, TriageRule
from kb.rules.samples import hits, near_miss

NAME = "jsonl"
ABOUT = "JSON Lines with a JSON Schema: everything that kb knows of a rule, for programs of your own"
LOAD = "Read it line by line; kb-rules.schema.json describes a line."
PROVED = "jsonschema, and the examples in every engine that is installed"

SCHEMA = "kb-signature/1"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-rules.jsonl` and its schema."""
    lines = "".join(json.dumps(row(rule), ensure_ascii=True) + "\n" for rule in rules)
    return (
        Exported("kb-rules.jsonl", lines),
        Exported("kb-rules.schema.json", json_text(schema()) + "\n"),
    )


def row(rule: TriageRule) -> dict[str, Any]:
    """One rule as a JSON object."""
    remedy = rule.remedy
    return {
        "schema": SCHEMA,
        "id": rule.id,
        "title": rule.title,
        "role": rule.role,
        "severity": rule.severity,
        "component": rule.component,
        "tags": list(rule.tags),
        "pattern": rule.pattern,
        "segments": [{"gap" if piece.open else "literal": piece.text} for piece in rule.pieces],
        "anchor": rule.anchor,
        "runbook_url": rule.url or None,
        "fix": remedy
        and {"slug": remedy.slug, "text": remedy.sentence, "kind": remedy.kind, "evidence": remedy.evidence},
        "exception": {"type": rule.type, "message": rule.message},
        "sessions": rule.sessions,
        "last_seen": rule.last_seen,
        "examples": {"match": list(hits(rule)), "no_match": [near_miss(rule)]},
    }


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a line."""
    text = {"type": "string"}
    texts = {"type": "array", "items": text}
    properties: dict[str, Any] = {
        "schema": {"const": SCHEMA},
        "id": {"type": "string", "pattern": "^kb[0-9]+-[a-z2-7]{10}$"},
        "title": text,
        "role": {"enum": ["root", "cascade", "wrapper", "teardown"]},
        "severity": {"enum": ["critical", "error", "warning"]},
        "component": text,
        "tags": texts,
        "pattern": {"type": "string", "minLength": 1, "maxLength": 900},
        "segments": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"literal": text, "gap": text},
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
            },
        },
        "anchor": {"type": "string", "minLength": 12},
        "runbook_url": {"type": ["string", "null"]},
        "fix": _object("slug", "text", "kind", "evidence") | {"type": ["object", "null"]},
        "exception": _object("type", "message"),
        "sessions": {"type": "integer", "minimum": 0},
        "last_seen": text,
        "examples": {
            "type": "object",
            "properties": {"match": texts, "no_match": texts},
            "required": ["match", "no_match"],
            "additionalProperties": False,
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A triage rule of kb",
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _object(*names: str) -> dict[str, Any]:
    """An object of these texts."""
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": list(names),
        "additionalProperties": False,
    }
