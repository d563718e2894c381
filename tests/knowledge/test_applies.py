"""Whether a fix is for the version that a log names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.knowledge.applies import components, excluded
from kb.knowledge.versions import versions_in


@pytest.mark.parametrize(
    ("applies", "version", "out"),
    [
        ("vllm>=0.15,<0.16", "0.15.1", False),
        ("vllm>=0.15,<0.16", "0.16", True),
        ("vllm >= 0.15, < 0.16", "0.14.9", True),
        ("vllm==0.15.*", "0.15.7", False),
        ("vllm!=0.15.*", "0.15.7", True),
        ("vllm~=0.15.2", "0.15.1", True),
        ("vllm~=0.15.2", "0.15.9", False),
        ("vllm==0.15", "0.15.0+cu124", False),
        ("torch<2", "0.15", False),
        ("vllm on GPUs", "0.15", False),
        ("vllm>=main", "0.15", False),
        ("", "0.15", False),
    ],
)
def test_only_a_clause_that_fails_excludes(applies: str, version: str, out: bool) -> None:
    assert bool(excluded(applies, {"vllm": version})) is out


def test_the_reason_names_both_versions() -> None:
    assert excluded("vllm<0.16", {"vllm": "0.16.0"}) == "it is for vllm<0.16, this is vllm 0.16.0"


def test_a_component_of_unknown_version_excludes_nothing() -> None:
    assert not excluded("vllm<0.16; torch<2", {"python": "3.12"})


def test_names_are_compared_as_pip_does() -> None:
    assert excluded("Foo_Bar<1", {"foo-bar": "2"})


@pytest.mark.parametrize(
    "text",
    [
        "vLLM API server version 0.15.1",
        "vllm==0.15.1",
        "Using vllm 0.15.1 on",
        "vllm-0.15.1",
        "vllm (0.15.1)",
        "vllm: v0.15.1",
    ],
)
def test_versions_are_read_as_logs_write_them(text: str) -> None:
    assert versions_in(f"x\n{text}\ny", ["vllm", "torch"]) == {"vllm": "0.15.1"}


def test_other_numbers_are_not_versions() -> None:
    assert versions_in("myvllm 1.2.3, vllm took 12 s, vllm.py 3", ["vllm"]) == {}


def test_components_are_named_once() -> None:
    assert components("vllm>=0.15,<0.16; torch==2.6") == ("vllm", "torch")


@given(st.text(max_size=60), st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_can_be_read(applies: str, text: str) -> None:
    excluded(applies, versions_in(text, components(applies)))
