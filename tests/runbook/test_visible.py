"""Text of logs and records on pages: everything is shown, nothing acts."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from kb.runbook.visible import breakable, peel, plain, visible


def test_characters_that_turn_the_reading_direction_are_spelled_out() -> None:
    assert visible("rm \u202e/tmp") == "rm <U+202E>/tmp"


def test_line_feeds_and_tabs_stay_in_blocks_and_become_spaces_in_lines() -> None:
    assert visible("a\n\tb") == "a\n\tb"
    assert plain(" a\n\tb ") == "a b"


def test_colours_and_nuls_are_peeled_off() -> None:
    assert peel("\x1b[31mError\x1b[0m: \0x\r\n") == "Error: x\n"
    assert peel("\x1b]8;;https://example.org\x07link\x1b]8;;\x07") == "link"


def test_long_words_may_wrap_at_their_joints_and_short_ones_stay() -> None:
    assert breakable("0.15.1") == "0.15.1"
    assert breakable("vllm/config/speculative_decoding.py") == "vllm/<wbr>config/<wbr>speculative_<wbr>decoding.<wbr>py"


def test_markup_in_a_word_is_escaped_piece_by_piece() -> None:
    assert breakable('<img/src=x.onerror=alert("1")>') == (
        "&lt;img/<wbr>src=<wbr>x.<wbr>onerror=<wbr>alert(&#34;1&#34;)&gt;"
    )


@given(st.text())
def test_no_text_becomes_markup(text: str) -> None:
    html = str(breakable(text)).replace("<wbr>", "")
    assert not re.search(r"[<>\"']", html)
    assert not re.search(r"&(?!(?:amp|lt|gt|#34|#39);)", html)


@given(st.text())
def test_nothing_of_a_text_is_lost(text: str) -> None:
    html = str(breakable(text)).replace("<wbr>", "")
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&#34;", '"'), ("&#39;", "'"), ("&amp;", "&")):
        html = html.replace(entity, character)
    assert html == plain(text)
