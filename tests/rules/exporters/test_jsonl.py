"""The JSON Lines are what their schema says, and their examples hold."""

from __future__ import annotations

import json
from pathlib import Path

import re2
from jsonschema import Draft202012Validator
from rule_tools import CASES, write


def test_every_line_is_valid_and_its_examples_hold(tmp_path: Path) -> None:
    folder = write("jsonl", tmp_path)
    schema = json.loads((folder / "kb-rules.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    rows = [json.loads(line) for line in (folder / "kb-rules.jsonl").read_text().splitlines()]
    assert len(rows) == len(CASES)
    for row in rows:
        assert not list(validator.iter_errors(row))
        assert all(re2.search(row["pattern"], text) for text in row["examples"]["match"])
        assert not any(re2.search(row["pattern"], text) for text in row["examples"]["no_match"])


def test_a_broken_rule_is_reported_by_the_schema(tmp_path: Path) -> None:
    folder = write("jsonl", tmp_path)
    validator = Draft202012Validator(json.loads((folder / "kb-rules.schema.json").read_text()))
    row = json.loads((folder / "kb-rules.jsonl").read_text().splitlines()[0])
    for key, value in (("anchor", "short"), ("pattern", ""), ("id", "x"), ("role", "guess"), ("surplus", 1)):
        assert list(validator.iter_errors({**row, key: value}))
