"""The published JSON Schema is the model's, and sessions as JSON satisfy it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from kb.record.reader import read_session
from kb.record.schema import schema_text, session_schema
from kb.shipped import shipped

GOLDEN = Path(__file__).parent / "golden"


def test_the_published_schema_is_the_models() -> None:
    published = shipped("site") / "schemas" / "session.schema.json"
    assert published.read_text("utf-8") == schema_text(), "write it anew: kb schema session"


def test_the_schema_is_one_and_a_full_session_satisfies_it() -> None:
    jsonschema.Draft202012Validator.check_schema(session_schema())
    session = read_session((GOLDEN / "everything.md").read_text("utf-8"), "everything.md").session
    assert session is not None
    jsonschema.validate(session.model_dump(mode="json"), session_schema())


@pytest.mark.parametrize(
    "change", [{"id": "Not A Slug"}, {"resolution": "solved"}, {"severity": "high"}, {"attempts": [{"steps": []}]}]
)
def test_the_schema_refuses_what_the_model_refuses(change: dict[str, object]) -> None:
    session = {"id": "a", "title": "a", "started": "2026-01-01T00:00:00Z"}
    jsonschema.validate(session, session_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(json.dumps(session | change)), session_schema())
