"""Front matter means the same whichever library reads it."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kb.record import plain_yaml
from kb.record.front import read_front
from kb.record.problems import Problems

_PIECES = st.sampled_from(
    [
        *(
            "kb: 1",
            "title: ",
            "tags: [a, b]",
            "components: {a: 1.10, b: 2}",
            "a",
            '"x"',
            "'y'",
            "{",
            "}",
            "[",
            "]",
            ",",
        ),
        *(": ", "- ", "#c", " ", "|", ">", "&a ", "*a", "!t ", "%", "@", "`", "? ", "~", "null", "\\", '"', "'", "\n"),
        *(
            "\n  ",
            "---\n",
            "...\n",
            "<<: ",
            "=",
            ":",
            "\t",
            "\r\n",
            "\x85",
            "\u2028",
            "\ufeff",
            "\x00",
            "\x1b",
            "\ud800",
        ),
        *("é", "日本", "😀", '"\\u263a"', '"\\x"', '"a\n b"', "|\n  a\n", ">-\n  b\n", "- " * 300, "[" * 150),
    ]
)


def read(text: str) -> object:
    problems = Problems("record.md")
    return read_front(text.split("\n"), problems), problems.sorted()


@pytest.mark.skipif(not hasattr(yaml, "CBaseLoader"), reason="PyYAML was built without libyaml")
@given(st.lists(_PIECES, max_size=14).map("".join))
def test_libyaml_and_pyyaml_read_the_same(text: str) -> None:
    fast = repr(read(text))
    kept = plain_yaml._FAST
    plain_yaml._FAST = None
    try:
        assert repr(read(text)) == fast
    finally:
        plain_yaml._FAST = kept


_DEEP = ("- " * 100_000, "[" * 100_000, "{a: " * 50_000, "a:\n" + "\n".join(" " * n + "a:" for n in range(1, 600)))


@pytest.mark.parametrize("text", _DEEP, ids=["dashes", "brackets", "braces", "lines"])
def test_deep_nesting_is_a_problem_and_no_end(text: str) -> None:
    problems = Problems("record.md")
    read_front(text.split("\n"), problems)
    assert problems.sorted()
