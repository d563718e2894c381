"""Only what every engine reads alike is portable, and a pattern and its pieces say the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.rules.model import Piece
from kb.rules.portable import NotPortableError, parse, render
from kb.signature.gaps import GAPS

LITERALS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=30)
GAP = st.sampled_from(sorted({gap.regex for gap in GAPS.values()}))


@given(st.lists(LITERALS, min_size=1, max_size=4))
def test_a_literal_survives_the_way_through_a_pattern(texts: list[str]) -> None:
    text = "".join(texts).strip() or "x"
    pattern = render([Piece(text)])
    assert re.compile(pattern).fullmatch(text)
    assert "".join(piece.text for piece in parse(pattern)) == text


@given(LITERALS, GAP, LITERALS)
def test_every_gap_of_a_signature_is_portable(before: str, gap: str, after: str) -> None:
    pattern = render([Piece("a" + before), Piece(gap, True), Piece(after + "z")])
    assert render(parse(pattern)) == pattern


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (r"a\d", "not read alike"), (r"\bword", "not read alike"), ("a(?=b)", "groups of the form"),
        ("(a)b", "groups of the form"), ("a++", "repeat of a repeat"), ("a+?", "repeat of a repeat"),
        ("a|b", "alternative outside a group"), ("(?:a|)b", "empty alternative"), ("[/.]x", "a class may hold"),
        ("a{1,1001}", "more than 1000"), ("a{9,2}", "bounds turned"), ("(?:a{2}b){3}", "counted repeat inside"),
        ("a{x}", "escape it"), ("x]", "escape it"), ("a?b*", "matches the empty text"), (" a", "begins or ends with a blank"),
        ("ünlaut", "printable ASCII"), ("x" * 901, "900 is the most"), ("(?:a", "not closed"), ("a)", "closes nothing"),
        ("a\\", "not read alike"), ("a^b", "escape it"), ("(?:" * 9 + "a" + ")" * 9, "nested"),
    ],
)  # fmt: skip
def test_what_is_not_portable_is_refused_with_its_place(pattern: str, told: str) -> None:
    with pytest.raises(NotPortableError, match=re.escape(told)):
        parse(pattern)


@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parse(text)
    except NotPortableError:
        return
    re.compile(text)
