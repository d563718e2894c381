"""Sigma rules, one file a signature: pySigma turns them into queries for Elasticsearch, OpenSearch, Splunk and Loki."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from typing import Any

from kb.rules.dialects.lucene import for_sigma
from kb.rules.exporters.telling import advice, component, plain
from kb.rules.exporters.yaml_text import yaml_text
from kb.rules.model import Exported, TriageRule

NAME = "sigma"
ABOUT = "Sigma rules, one file each: queries for Elasticsearch, OpenSearch, Splunk and Loki by pySigma"
LOAD = "sigma convert -t splunk (or lucene, opensearch_lucene, loki) kb-sigma.yml"
PROVED = "pySigma with its backends for Elasticsearch, OpenSearch, Splunk and Loki"

_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://pypi.org/project/kb-runbook/")
_ESCAPED = re.compile(r'[*?\\"]')
_LEVEL = {"critical": "high", "error": "medium", "warning": "low"}


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-sigma/kb_….yml` for each rule, and `kb-sigma.yml` with all of them, one document each."""
    texts = [(rule.id.replace("-", "_"), yaml_text(_rule(rule))) for rule in rules]
    whole = Exported("kb-sigma.yml", "---\n".join(text for _, text in texts))
    return (whole, *(Exported(f"kb-sigma/kb_{word}_known_failure.yml", text) for word, text in texts))


def _rule(rule: TriageRule) -> dict[str, Any]:
    out: dict[str, Any] = {
        "title": plain(rule.title, 100) or rule.id,
        "id": str(uuid.uuid5(_SPACE, rule.id)),
        "status": "stable" if rule.remedy else "test",
        "description": f"{advice(rule)} Signature {rule.id}, seen in {rule.sessions} recorded debugging sessions.",
        "references": [rule.url] if rule.url else [],
        "author": "kb",
        "date": rule.last_seen[:10],
        "logsource": {"category": "application", "product": component(rule).lower().replace(" ", "_")},
        "detection": {
            "anchor": {"message|contains": _contains(rule.anchor)},
            "regex": {"message|re": for_sigma(rule.pieces)},
            "condition": "anchor and regex",
        },
        "falsepositives": ["A log that quotes the message"],
        "level": _LEVEL[rule.severity],
        "kb": {"id": rule.id, "component": component(rule)},
    }
    return {key: value for key, value in out.items() if value not in ([], "")}


def _contains(anchor: str) -> str:
    """The anchor for `contains`: the longest run in it without a character that backends escape in different ways."""
    return max((run.strip() for run in _ESCAPED.split(anchor)), key=len)
