"""Sigma: pySigma loads every rule, its backends turn them into queries, and their expressions find hits only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rule_tools import CASES, RULES, program, ran, write

sigma_error = pytest.importorskip("sigma.exceptions", reason="pySigma is not installed")
sigma = pytest.importorskip("sigma.collection", reason="pySigma is not installed")


def collection(folder: Path):  # type: ignore[no-untyped-def]
    return sigma.SigmaCollection.load_ruleset([str(folder / "kb-sigma")])


def test_the_file_of_all_rules_holds_each_of_them(tmp_path: Path) -> None:
    loaded = sigma.SigmaCollection.load_ruleset([str(write("sigma", tmp_path) / "kb-sigma.yml")])
    assert [rule.custom_attributes["kb"]["id"] for rule in loaded.rules] == [rule.id for rule in RULES]


def test_every_rule_is_valid_and_carries_its_id_and_link(tmp_path: Path) -> None:
    loaded = collection(write("sigma", tmp_path))
    assert not loaded.errors
    assert sorted(rule.custom_attributes["kb"]["id"] for rule in loaded.rules) == [rule.id for rule in RULES]
    assert all(rule.references and rule.references[0].startswith("https://") for rule in loaded.rules)


@pytest.mark.parametrize(
    ("module", "backend"),
    [
        ("sigma.backends.elasticsearch", "LuceneBackend"),
        ("sigma.backends.elasticsearch", "ESQLBackend"),
        ("sigma.backends.opensearch", "OpensearchLuceneBackend"),
        ("sigma.backends.splunk", "SplunkBackend"),
        ("sigma.backends.loki", "LogQLBackend"),
    ],
)
def test_a_backend_turns_every_rule_into_a_query(module: str, backend: str, tmp_path: Path) -> None:
    made = getattr(pytest.importorskip(module, reason=f"{module} is not installed"), backend)()
    assert len(made.convert(collection(write("sigma", tmp_path)))) == len(RULES)


def test_the_expressions_match_whole_hits_and_no_near_miss(tmp_path: Path) -> None:
    by_id = {case.rule.id: case for case in CASES}
    for rule in collection(write("sigma", tmp_path)).rules:
        case = by_id[rule.custom_attributes["kb"]["id"]]
        (item,) = rule.detection.detections["regex"].detection_items
        (anchor,) = rule.detection.detections["anchor"].detection_items
        text = str(anchor.value[0]).strip("*")
        pattern = re.compile(str(item.value[0].regexp), re.DOTALL)
        assert pattern.fullmatch(case.hit)
        assert not (pattern.fullmatch(case.miss) and text in case.miss)


def test_splunks_query_finds_hits_only(tmp_path: Path) -> None:
    pcre, backend = (
        program("pcre2grep"),
        pytest.importorskip("sigma.backends.splunk", reason="pySigma is not installed"),
    )
    by_id = {case.rule.id: case for case in CASES}
    rules = collection(write("sigma", tmp_path)).rules
    for rule, query in zip(rules, backend.SplunkBackend().convert(sigma.SigmaCollection(rules)), strict=True):
        found = re.search(r'regex message="(.*)"$', query)
        assert found, query
        case = by_id[rule.custom_attributes["kb"]["id"]]
        pattern = re.sub(r"\\(.)", r"\1", found[1])
        assert ran(pcre, "-u", "-q", "-x", "-e", pattern, input=case.hit + "\n").returncode == 0
        assert ran(pcre, "-u", "-q", "-x", "-e", pattern, input=case.miss + "\n").returncode == 1


def test_a_broken_rule_is_reported(tmp_path: Path) -> None:
    folder = write("sigma", tmp_path, RULES[:1])
    path = next((folder / "kb-sigma").iterdir())
    text = path.read_text()
    path.write_text(text.replace("anchor and regex", "anchor and absent"))
    backend = pytest.importorskip("sigma.backends.splunk", reason="pySigma is not installed")
    with pytest.raises(sigma_error.SigmaError, match="absent"):
        backend.SplunkBackend().convert(collection(folder))
