"""OpenTelemetry: the statements' strings and patterns are what Go reads; the collector itself is not run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import re2
import yaml
from rule_tools import CASES, RULES, broken, write


def expanded(text: str) -> str:
    """`text` as the collector reads it: two dollar signs are one, and a single one begins a variable."""
    assert not re.search(r"(?<!\$)(?:\$\$)*\$(?!\$)", text), text
    return text.replace("$$", "$")


def patterns(folder: Path) -> dict[str, str]:
    """pattern by id, from the statements that set the id."""
    config = yaml.safe_load((folder / "kb-otel.yml").read_text())
    (block,) = config["processors"]["transform/kb"]["log_statements"]
    found = {}
    for statement in map(expanded, block["statements"]):
        match = re.fullmatch(
            r'set\(attributes\["(?P<key>[a-z_.]+)"\], (?P<value>"(?:[^"\\]|\\.)*")\) where attributes\["kb\.id"\] == nil and '
            r'IsMatch\(body, (?P<pattern>"(?:[^"\\]|\\.)*")\)',
            statement,
        )
        assert match, statement
        if match["key"] == "kb.id":
            found[json.loads(match["value"])] = json.loads(match["pattern"])
    return found


def test_each_rule_finds_its_hit_and_no_near_miss(tmp_path: Path) -> None:
    found = patterns(write("otel", tmp_path))
    assert list(found) == [rule.id for rule in RULES]
    for case in CASES:
        assert re2.search(found[case.rule.id], case.hit)
        assert not re2.search(found[case.rule.id], case.miss)


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    with pytest.raises(re2.error):
        re2.compile(next(iter(patterns(write("otel", tmp_path, [broken()])).values())))
