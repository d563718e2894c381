"""The JSON Schema of the report of triage, `kb-triage/1`.

Fields may be added within this version; none is taken away or changes its meaning.
"""

from __future__ import annotations

import json
from typing import Any

from kb.triage.model import SCHEMA

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_COUNT = {"type": "integer", "minimum": 0}
_PLACE = {"type": ["integer", "null"], "minimum": 0}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_ID = {"type": "string", "pattern": "^kb[0-9]+-[a-z2-7]{10}$"}


def triage_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `report_json` gives."""
    report = object_schema(
        "What kb says of one log.",
        {
            "schema": {"const": SCHEMA},
            "source": said("The name of the input.", _TEXT),
            "lines": said("How many lines it has.", _COUNT),
            "verdict": said(
                "known: the root failure is in the knowledge base; new: it is not; symptom-only: the log holds no root "
                "failure, only what follows from one; no-failure: nothing failed.",
                {"enum": ["known", "new", "symptom-only", "no-failure"]},
            ),
            "primary": said("The place in failures of the root failure, or of the symptom nearest to it.", _PLACE),
            "failures": {"type": "array", "items": {"$ref": "#/$defs/failure"}},
            "versions": said(
                "The versions that the fixes were judged by, as given or as the log states them.",
                {"type": "object", "additionalProperties": _TEXT},
            ),
            "hints": said("Where to look next, in words.", _TEXTS),
        },
    )
    definitions = {"failure": _failure(), "match": _match(), "fix": fix_schema()}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, "title": "Triage report"}
    return head | report | {"$defs": definitions}


def schema_text() -> str:
    """The schema as the text of its file."""
    return json.dumps(triage_schema(), indent=2, ensure_ascii=False) + "\n"


def _failure() -> dict[str, Any]:
    line = {"type": "integer", "minimum": 0}
    optional = {"type": ["string", "null"]}
    frame = object_schema("A call site.", {"file": _TEXT, "line": said("0 when not printed.", line), "function": _TEXT})
    shown = object_schema("A line of the log.", {"line": {"type": ["integer", "null"], "minimum": 1}, "text": _TEXT})
    signature = object_schema(
        "The class of equal failures that it belongs to.",
        {
            "id": _ID,
            "title": _TEXT,
            "template": said("The message with its variable parts masked.", _TEXT),
            "pattern": said("A portable regular expression for its line; empty when the line says too little.", _TEXT),
        },
    )
    return object_schema(
        "One failure found in the log.",
        {
            "role": said(
                "root: began it; cascade: failed because another failed; wrapper: an outer layer reporting the same "
                "failure; teardown: an after-effect of stopping.",
                {"enum": ["root", "cascade", "wrapper", "teardown"]},
            ),
            "kind": _TEXT,
            "language": optional,
            "type": _TEXT,
            "message": _TEXT,
            "process": optional,
            "line": said("The line that holds type and message, counted from 1.", line),
            "first_line": said("The first line of the whole report of it.", line),
            "last_line": said("The last line of the whole report of it.", line),
            "text": said("The raw line that holds type and message.", _TEXT),
            "because": said("Why it has this role, in words.", _TEXTS),
            "caused_by": said("The place in failures of what it follows from.", _PLACE),
            "frames": said(
                "The call sites, from the outermost to the one that failed.", {"type": "array", "items": frame}
            ),
            "signature": signature,
            "matches": said(
                "The known signatures that it is, the surest first; when it is none, those that it resembles.",
                {"type": "array", "items": {"$ref": "#/$defs/match"}},
            ),
            "excerpt": said(
                "The lines that a person needs to see; a line without a number says how many were left out.",
                {"type": "array", "items": shown},
            ),
        },
    )


def _match() -> dict[str, Any]:
    following = object_schema(
        "What came after a fix was made.",
        {"id": _ID, "after": said("The slug of the fix.", _TEXT), "title": _TEXT},
    )
    cause = object_schema(
        "The root failure of sessions that hold this symptom.",
        {
            "id": _ID,
            "title": _TEXT,
            "fixes": said("The best first.", {"type": "array", "items": {"$ref": "#/$defs/fix"}}),
        },
    )
    return object_schema(
        "A known signature.",
        {
            "id": _ID,
            "title": _TEXT,
            "level": said(
                "exact: the same signature; template: same type and message, or its own pattern matches; similar: a "
                "suggestion only.",
                {"enum": ["exact", "template", "similar"]},
            ),
            "score": _SHARE,
            "why": _TEXTS,
            "fixes": said("The best first.", {"type": "array", "items": {"$ref": "#/$defs/fix"}}),
            "next": {"type": "array", "items": following},
            "causes": said(
                "Of a symptom: the root failures of the sessions that hold it, the most frequent first.",
                {"type": "array", "items": cause},
            ),
            "caution": said("What to beware of before a fix is taken over; empty when nothing.", _TEXT),
            "attempt_seconds": said(
                "The median duration of an attempt at it, in seconds; 0 when none states one.",
                {"type": "number", "minimum": 0},
            ),
            "attempts_timed": said("How many attempts state a duration.", _COUNT),
        },
    )


def fix_schema() -> dict[str, Any]:
    """The schema of a fix with its outcomes."""
    return object_schema(
        "A fix with the outcomes that sessions prove.",
        {
            "slug": _TEXT,
            "title": _TEXT,
            "kind": _TEXT,
            "fixed": _COUNT,
            "progressed": said("The failure was gone, and another came.", _COUNT),
            "failed": _COUNT,
            "unverified": said("Nothing that proves anything was run after it.", _COUNT),
            "lower_bound": said("The lower bound (Wilson, 95 %) of its success rate.", _SHARE),
            "applies": said("False when it is for another version than the log names.", {"type": "boolean"}),
            "sessions": _TEXTS,
            "ended_by": said("Where it only led on to another failure: the fixes that ended the session.", _TEXTS),
            "strength": said(
                "The strongest proof that it helped: exit-0 (the rerun ended well), absent (and its output lacks the "
                "failure), soaked (for a long time or many runs), reverted (taking it back brought the failure back).",
                {"enum": ["", "exit-0", "absent", "soaked", "reverted"]},
            ),
            "together": said("Fixes that were tried together with it, and share the outcome.", _TEXTS),
            "last": said("The day of its newest evidence.", _TEXT),
            "order": said("Why it stands where it stands, in words.", _TEXT),
            "excluded": said("Why it is for another version; empty when it may be for this one.", _TEXT),
            "retest": said("Why its evidence is old and worth a new test; empty when it is not.", _TEXT),
            "came_back": said("Where the failure came back after it; empty when it did not.", _TEXT),
            "ended_after": said("How many other failures were met until then.", _COUNT),
            "components": said("Those of the sessions that it was made in.", _TEXTS),
        },
    )


def object_schema(description: str, properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that has all of `properties`."""
    return {"description": description, "type": "object", "properties": properties, "required": list(properties)}


def said(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` with what it means in words."""
    return {"description": description, **schema}
