"""JSON with indents: the same bytes as Python's own module writes."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kb.rules.exporters.json_text import json_text

_VALUES = st.recursive(
    st.text(max_size=6) | st.booleans() | st.integers() | st.none() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(_VALUES)
def test_it_is_written_as_pythons_json_writes_it(value: Any) -> None:
    assert json_text(value) == json.dumps(value, indent=2)
