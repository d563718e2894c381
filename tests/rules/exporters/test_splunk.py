"""Splunk: the linter for apps has nothing against the app; PCRE2 reads the patterns as the search would."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path

import pytest
from rule_tools import CASES, RULES, TOOLS, broken, program, ran, write


def searches(folder: Path) -> dict[str, str]:
    text = (folder / "kb_signatures" / "default" / "savedsearches.conf").read_text()
    return dict(re.findall(r"^\[kb (\S+)\]\n.*\nsearch = (.*)$", text, re.M))


def pattern(query: str) -> str:
    found = re.fullmatch(r'"(?:[^"\\]|\\.)*" \| regex _raw="((?:[^"\\]|\\.)*)"', query)
    assert found, query
    return re.sub(r"\\(.)", r"\1", found[1])


def test_the_linter_has_nothing_against_the_app(tmp_path: Path) -> None:
    linter = TOOLS / "appinspect" / "bin" / "splunk-appinspect"
    if not linter.exists():
        pytest.skip("splunk-appinspect is not installed (make tools)")
    folder = write("splunk", tmp_path)
    with tarfile.open(tmp_path / "app.tar.gz", "w:gz") as archive:
        archive.add(folder / "kb_signatures", "kb_signatures")
    out = tmp_path / "told.json"
    ran(linter, "inspect", tmp_path / "app.tar.gz", "--mode", "precert", "--data-format", "json", "--output-file", out)
    told = json.loads(out.read_text())
    assert told["summary"]["failure"] == told["summary"]["error"] == 0, told["summary"]
    assert told["summary"]["success"] > 20


def test_each_search_finds_its_hit_and_no_near_miss(tmp_path: Path) -> None:
    pcre, queries = program("pcre2grep"), searches(write("splunk", tmp_path))
    assert sorted(queries) == [rule.id for rule in RULES]
    for case in CASES:
        expression = pattern(queries[case.rule.id])
        assert ran(pcre, "-u", "-q", "-e", expression, input=case.hit + "\n").returncode == 0
        assert ran(pcre, "-u", "-q", "-e", expression, input=case.miss + "\n").returncode == 1


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    queries = searches(write("splunk", tmp_path, [broken()]))
    done = ran(program("pcre2grep"), "-u", "-q", "-e", pattern(next(iter(queries.values()))), input="x\n")
    assert done.returncode == 2
    assert "missing closing parenthesis" in done.stderr
