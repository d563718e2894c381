"""The JSON Schema of the record model, for programs that hold sessions as JSON."""

from __future__ import annotations

import json
from typing import Any

from kb.record.model import FORMAT_VERSION, Session


def session_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a session as JSON."""
    schema = Session.model_json_schema()
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"kb-session/{FORMAT_VERSION}",
        "title": "Session",
    }
    return head | {key: value for key, value in schema.items() if key not in head}


def schema_text() -> str:
    """The schema as the text of its file."""
    return json.dumps(session_schema(), indent=2, ensure_ascii=False) + "\n"
