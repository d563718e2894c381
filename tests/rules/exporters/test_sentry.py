"""Sentry: its own glob matcher groups a hit under the right fingerprint, and a near miss under none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rule_tools import CASES, RULES, write

glob = pytest.importorskip("sentry_ophio.glob", reason="sentry-ophio is not installed")

#: The grammar as documented: matchers, an arrow, the fingerprint, attributes.
_RULE = re.compile(
    r'(?:error\.type:"(?P<type>(?:[^"\\]|\\.)*)" )?error\.value:"(?P<value>(?:[^"\\]|\\.)*)" -> '
    r'(?P<print>[a-z0-9-]+) title="(?:[^"\\]|\\.)*"'
)


def rules(folder: Path) -> list[dict[str, str]]:
    found = []
    for line in (folder / "kb-sentry.txt").read_text().splitlines():
        if not line.startswith("#"):
            match = _RULE.fullmatch(line)
            assert match, line
            found.append({key: re.sub(r"\\([\"\\])", r"\1", value or "") for key, value in match.groupdict().items()})
    return found


def fits(rule: dict[str, str], text: str) -> bool:
    return bool(glob.is_glob_match(text, rule["value"], case_insensitive=True, allow_newline=True))


def test_a_hit_is_grouped_by_its_own_rule_and_a_near_miss_by_none(tmp_path: Path) -> None:
    loaded = rules(write("sentry", tmp_path))
    assert [rule["print"] for rule in loaded] == [rule.id for rule in RULES]
    for case in CASES:
        hit = [rule["print"] for rule in loaded if fits(rule, f"before {case.hit}\nafter")]
        assert hit == [case.rule.id]
        assert not [rule for rule in loaded if fits(rule, case.miss)]


def test_a_type_in_front_is_matched_as_the_type(tmp_path: Path) -> None:
    from dataclasses import replace

    case = next(case for case in CASES if case.hit.startswith("AttributeError: "))
    (rule,) = rules(write("sentry", tmp_path, [replace(case.rule, type="AttributeError")]))
    assert rule["type"] == "*AttributeError"
    assert fits(rule, case.hit.removeprefix("AttributeError: "))


def test_a_rule_outside_the_grammar_is_reported(tmp_path: Path) -> None:
    text = (write("sentry", tmp_path, RULES[:1]) / "kb-sentry.txt").read_text().splitlines()[1]
    assert _RULE.fullmatch(text)
    assert not _RULE.fullmatch(text.replace('"', "", 1))
