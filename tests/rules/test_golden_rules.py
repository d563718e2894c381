"""What each target's files look like, for people to read: `golden/<target>/` holds them for one real signature."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rule_corpus import corpus

from kb.rules.exporters.registry import EXPORTERS, exporter

GOLDEN = Path(__file__).parent / "golden"
RULE = next(case.rule for case in corpus() if case.hit.startswith("AttributeError: "))


@pytest.mark.parametrize("target", EXPORTERS)
def test_the_files_of_a_target_are_as_they_were_read(target: str) -> None:
    files = {file.path: file.text for file in exporter(target).export([RULE], "example")}
    folder = GOLDEN / target
    if os.environ.get("KB_BLESS") == "1":
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
    kept = {str(path.relative_to(folder)): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}
    assert files == kept


@pytest.mark.parametrize("target", EXPORTERS)
def test_the_same_rules_give_the_same_bytes_and_no_rules_give_files_too(target: str) -> None:
    rules = [case.rule for case in corpus(literals=5)]
    assert exporter(target).export(rules, "kb") == exporter(target).export(rules, "kb")
    assert all(isinstance(file.text, str) for file in exporter(target).export([], "kb"))


@pytest.mark.parametrize("target", EXPORTERS)
def test_a_target_says_what_it_is(target: str) -> None:
    one = exporter(target)
    assert target == one.NAME
    assert one.ABOUT
    assert one.LOAD
    assert one.PROVED
    assert all(".." not in file.path and not file.path.startswith("/") for file in one.export([RULE], "kb"))
