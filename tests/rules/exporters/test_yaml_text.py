"""YAML of rules: written as PyYAML writes it, byte for byte, whatever a rule holds."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kb.rules.exporters.yaml_text import _Dumper, yaml_text

_TEXTS = (
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
    | st.text(max_size=6)
    | st.sampled_from(["yes", "No", "NULL", "y", "true", "_", "a_b", "=", "<<", "", "~", "0x1", "- a", "a: b", "nan"])
)
_VALUES = st.recursive(
    _TEXTS | st.booleans() | st.integers() | st.none() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=20,
)


def _by_pyyaml(value: Any) -> str:
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=10_000, allow_unicode=False))


@given(st.lists(_VALUES) | st.dictionaries(_TEXTS, _VALUES))
def test_it_is_written_as_pyyaml_writes_it(value: Any) -> None:
    assert yaml_text(value) == _by_pyyaml(value)


_SHARED: dict[str, str] = {"a": "b"}
_EMPTY: list[str] = []


@pytest.mark.parametrize(
    "value",
    [
        [_SHARED, _SHARED],
        [_EMPTY, _EMPTY],
        {"a": [], "b": {}},
        {"x" * 200: 1},
        {"a": "long " * 3000},
        ["one\ntwo\x00", "é", "\u2028"],
        [[[]], {}],
    ],
)
def test_so_is_what_it_writes_in_a_way_of_its_own(value: Any) -> None:
    assert yaml_text(value) == _by_pyyaml(value)


def test_the_head_is_a_comment() -> None:
    assert yaml_text({"a": 1}, "made by kb\nfor you") == "# made by kb\n# for you\na: 1\n"
