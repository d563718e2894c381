"""A mask is tried only on texts that hold the plain words it needs; that never changes what masking does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.signature.masking import _called, _masks

GOLDEN = sorted((Path(__file__).parents[1] / "failures" / "golden").glob("*/input.log"))
SIMPLE = [mask for mask in _masks() if "(?<" not in mask.pattern and "(?=" not in mask.pattern]


def applies(line: str) -> set[int]:
    return {index for index, mask in enumerate(_masks()) if re.search(mask.pattern, line, re.ASCII)}


@pytest.mark.parametrize("log", GOLDEN, ids=lambda path: path.parent.name)
def test_no_mask_of_a_real_line_is_passed_over(log: Path) -> None:
    for line in log.read_bytes().decode("utf-8", "replace").splitlines()[:40]:
        assert applies(line[:500]) <= set(_called(line[:500]))


@pytest.mark.parametrize("mask", SIMPLE, ids=lambda mask: mask.name)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_what_a_mask_matches_holds_its_words(mask, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    text = data.draw(st.from_regex(re.compile(mask.pattern, re.ASCII)))
    assert not mask.words or any(word in text for word in mask.words)


def test_what_a_look_behind_asks_for_counts_as_words() -> None:
    by_name = {mask.name: mask for mask in _masks()}
    assert by_name["xid-bus"].words == ("Xid (PCI:",)
    assert by_name["user-name"].words[0] == "invalid user "
    assert by_name["root-file"].words == ("/",)
