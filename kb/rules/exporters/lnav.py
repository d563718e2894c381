"""A log format for lnav: highlights, and a SQL table of hits for each signature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kb.rules.exporters.json_text import json_text
from kb.rules.exporters.telling import plain, title
from kb.rules.model import Exported, TriageRule

NAME = "lnav"
ABOUT = "lnav format: known failures highlighted, and a SQL table kb_sig_… for each"
LOAD = "lnav -i kb_log.json"
PROVED = "lnav"

#: The lines of any log: kb's signatures are looked for in the body. An optional time and level come first.
_LINE = (
    r"^(?:(?<timestamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?) )"
    r"(?:\[?(?<level>[A-Za-z]+)\]?:? )?(?<body>.*)$"
)
_COLOUR = {"critical": "Red", "error": "Red", "warning": "Yellow"}


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb_log.json`. The body is not declared as a value: lnav 0.11 crashes on its tables of hits then."""
    form: dict[str, Any] = {
        "title": "kb",
        "description": plain(f"Known failures of {name}"),
        "regex": {"any": {"pattern": _LINE}},
        "level-field": "level",
        "sample": [{"line": "2026-11-29 10:11:12 ERROR something failed"}],
        "highlights": {
            f"kb_{word(rule)}": {"pattern": rule.pattern, "color": _COLOUR[rule.severity]} for rule in rules
        },
        "search-table": {
            f"kb_sig_{word(rule)}": {"pattern": rule.pattern, "description": title(rule)} for rule in rules
        },
    }
    return (Exported("kb_log.json", json_text({"$schema": _SCHEMA, "kb_log": form}) + "\n"),)


_SCHEMA = "https://lnav.org/schemas/format-v1.schema.json"


def word(rule: TriageRule) -> str:
    """The id as part of a table's name."""
    return rule.id.replace("-", "_")
