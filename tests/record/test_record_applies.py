"""What a fix applies to is components with versions, and is said to be wrong when it is not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.knowledge.applies import components
from kb.record.reader import read_session
from kb.record.values import read_applies

RECORD = """\
---
kb: 1
id: a
title: a
started: 2026-01-01T00:00:00Z
---

## Attempt 1: try

### Fix: b {kind=patch applies="APPLIES"}

Text.
"""


@pytest.mark.parametrize(
    "text",
    ["vllm>=0.15,<0.16", "torch==2.6.0; python>=3.12", "vllm >= 0.15 , <0.16 torch~=2.1", "a===1.0+cu124", "b!=2.*"],
)
def test_components_with_versions_are_right(text: str) -> None:
    assert read_applies(text) == text
    assert read_session(RECORD.replace("APPLIES", text), "a.md").problems == ()


@pytest.mark.parametrize(
    "text", ["what ever", "vllm", ">=0.15", "vllm>=", "vllm>=new", "vllm>=0.15 or later", "vllm>=0.15<0.16", "", " , "]
)
def test_anything_else_is_a_problem_that_says_what_is_right(text: str) -> None:
    (problem,) = read_session(RECORD.replace("APPLIES", text), "a.md").problems
    assert (problem.code, problem.location.line) == ("value", 10)
    assert "vllm>=0.15,<0.16" in problem.hint


@given(st.text(alphabet="ab1.<>=!~,; *v", max_size=30))
@settings(max_examples=300)
def test_what_is_accepted_names_a_component(text: str) -> None:
    try:
        read_applies(text)
    except ValueError:
        return
    assert components(text)
