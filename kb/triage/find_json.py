"""The answer of the search box as JSON: the schema `kb-search/1`.

Fields may be added within this version; none is taken away or changes its meaning.
"""

from __future__ import annotations

import json
from typing import Any

from kb.index.facets import FILTERS
from kb.index.search import LEVELS
from kb.triage.as_json import fix_json
from kb.triage.find import Answer, Result
from kb.triage.schema import fix_schema, object_schema, said

SCHEMA = "kb-search/1"


def answer_json(answer: Answer) -> dict[str, Any]:
    """`answer` as `search_schema` describes it."""
    return {
        "schema": SCHEMA,
        "query": answer.text,
        "filters": [{"name": one.name, "value": one.value, "excluded": one.excluded} for one in answer.filters],
        "hits": [_hit(one) for one in answer.results],
        "hints": list(answer.hints),
    }


def _hit(result: Result) -> dict[str, Any]:
    hit = result.hit
    return {
        "kind": hit.kind,
        "id": hit.id,
        "title": hit.title,
        "snippet": hit.snippet,
        "level": hit.level,
        "score": hit.score,
        "why": hit.why,
        "near": hit.near,
        "proven": hit.proven,
        "last_seen": hit.last,
        "sessions": hit.seen,
        "fix": fix_json(result.fix) if result.fix else None,
        "other_fixes": result.other_fixes,
    }


def search_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `answer_json` gives."""
    text = {"type": "string"}
    count = {"type": "integer", "minimum": 0}
    narrowed = object_schema(
        "A filter as it was applied.",
        {
            "name": {"enum": list(FILTERS)},
            "value": text,
            "excluded": said("True where documents were wanted of which it does not hold.", {"type": "boolean"}),
        },
    )
    hit = object_schema(
        "One thing found.",
        {
            "kind": {"enum": ["signature", "fix", "session"]},
            "id": said("A signature's id, a fix's slug, a session's id.", text),
            "title": text,
            "snippet": said("The line of it that answers the query.", text),
            "level": said(
                "How it was found, the surest first; exact and template as in kb-triage, similar and some only near.",
                {"enum": list(LEVELS)},
            ),
            "score": said("How much of the query it holds.", {"type": "number", "minimum": 0, "maximum": 1}),
            "why": said("Why it is here, in words.", text),
            "near": said("True when it is no answer, only near one.", {"type": "boolean"}),
            "proven": said("Whether a fix helped.", {"type": "boolean"}),
            "last_seen": said("The ISO date of its newest evidence, or empty.", text),
            "sessions": said("In how many sessions it occurs.", count),
            "fix": said(
                "Of a signature: the fix to try first.", {"anyOf": [{"$ref": "#/$defs/fix"}, {"type": "null"}]}
            ),
            "other_fixes": count,
        },
    )
    answer = object_schema(
        "What kb found for a query.",
        {
            "schema": {"const": SCHEMA},
            "query": text,
            "filters": {"type": "array", "items": narrowed},
            "hits": said("The best first.", {"type": "array", "items": hit}),
            "hints": said(
                "What was read differently, and what to try next, in words.", {"type": "array", "items": text}
            ),
        },
    )
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, "title": "Search answer"}
    return head | answer | {"$defs": {"fix": fix_schema()}}


def schema_text() -> str:
    """The schema as the text of its file."""
    return json.dumps(search_schema(), indent=2, ensure_ascii=False) + "\n"
