"""A remap program for Vector: it tags the event whose message is a known failure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kb.rules.exporters.telling import advice, component, headline, title
from kb.rules.model import Exported, TriageRule

NAME = "vrl"
ABOUT = "Vector remap (VRL): adds the signature, the fix and the link to an event"
LOAD = "transforms.kb: {type: remap, inputs: […], file: kb.vrl}"
PROVED = "the VRL compiler and runtime"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb.vrl`. An event without a message passes through; of several rules that match, the last one is kept."""
    out = [
        "# Made by kb; do not edit. Tags an event whose .message is a known failure.",
        'message = string(.message) ?? ""',
    ]
    for rule in rules:
        out += [
            f"# {headline(rule)}",
            f"if contains(message, {_string(rule.anchor)}) && match(message, r'{_raw(rule.pattern)}') {{",
            f"  .kb.id = {_string(rule.id)}",
            f"  .kb.title = {_string(title(rule))}",
            f"  .kb.component = {_string(component(rule))}",
            f"  .kb.severity = {_string(rule.severity)}",
            f"  .kb.fix = {_string(advice(rule))}",
            *([f"  .kb.runbook_url = {_string(rule.url)}"] if rule.url else []),
            "}",
        ]
    return (Exported("kb.vrl", "\n".join([*out, "."]) + "\n"),)


def _raw(pattern: str) -> str:
    """`pattern` between r' and ': only the quote is escaped."""
    return pattern.replace("'", "\\'")


def _string(text: str) -> str:
    """`text` as a string literal; two opening braces would begin a template."""
    return json.dumps(text).replace("{{", "\\{{")
