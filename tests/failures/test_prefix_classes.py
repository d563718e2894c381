"""A prefix is tried only on texts of a kind that it can match, so what it matches must be of such a kind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.failures.prefixes import TABLE, kind_of, may_match
from kb.failures.tables import rows

ROWS = [(name, pattern) for _, (name, _, pattern) in rows(TABLE, 3)]
GOLDEN = sorted((Path(__file__).parent / "golden").glob("*/input.log"))


@pytest.mark.parametrize(("name", "pattern"), ROWS, ids=[name for name, _ in ROWS])
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_what_a_prefix_matches_is_of_a_kind_on_which_it_is_tried(name: str, pattern: str, data: st.DataObject) -> None:
    line = data.draw(st.from_regex(re.compile(pattern, re.ASCII)).filter(lambda text: re.match(pattern, text)))
    assert may_match(pattern, *kind_of(line, 0))


@pytest.mark.parametrize("log", GOLDEN, ids=lambda path: path.parent.name)
def test_no_prefix_of_a_real_line_is_passed_over(log: Path) -> None:
    for line in log.read_bytes().decode("utf-8", "replace").splitlines()[:60]:
        for name, pattern in ROWS if line else ():
            if re.match(pattern, line[:2_000]):
                assert may_match(pattern, *kind_of(line, 0)), name
