"""Excerpts of logs: numbered, marked, escaped."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from runbook_factory import KIMI, SERVER_LOG

from kb.runbook.excerpts import Excerpt, Mark, around, code_html, excerpt_html, lines_of, numbers_of, shortened


def test_a_decisive_line_is_marked_and_its_telling_parts_are_stressed() -> None:
    line = "AttributeError: 'KimiK25Config' object has no attribute 'image_token_index'"
    html = excerpt_html(Excerpt((line,), (210,), {0: Mark("root", KIMI.segments)}))
    assert html == (
        '<span class="kb-l kb-l-root" data-n="210"><mark>AttributeError: &#39;</mark>KimiK25Config'
        "<mark>&#39; object has no attribute &#39;image_token_index&#39;</mark>\n</span>"
    )


def test_other_lines_are_coloured_lightly() -> None:
    html = excerpt_html(Excerpt(('  File "/opt/x.py", line 3, in f', "ValueError: 'a'")))
    assert '<span class="kb-t-place">File &#34;/opt/x.py&#34;, line 3</span>' in html
    assert '<span class="kb-t-error">ValueError</span>' in html


_LINES = st.text(st.characters(exclude_characters="\n"), max_size=30) | st.sampled_from(
    ['File "a.py", line 3', "x/y.py:12 in f", "oh: ValueError: 'a", "b' panic", "a.cpp:", "3 ERROR", "", "foo.Timeout"]
)


@given(st.lists(_LINES, max_size=5))
def test_a_line_is_coloured_the_same_whatever_stands_around_it(lines: list[str]) -> None:
    alone = [excerpt_html(Excerpt((line,), (number,))) for number, line in enumerate(lines, 1)]
    together = excerpt_html(Excerpt(tuple(lines), tuple(range(1, len(lines) + 1))))
    assert together == "".join(alone)


def test_a_line_that_stands_for_several_moves_the_numbers_beyond_it() -> None:
    lines = ("a", "[... 10 lines left out ...]", "b", "c")
    assert numbers_of(lines, 2, 50) == (39, 0, 50, 51)
    assert numbers_of(lines, 0, 7) == (7, 0, 18, 19)
    assert numbers_of(lines, 0, 0) == ()


def test_a_part_of_an_excerpt_says_how_much_it_leaves_out() -> None:
    whole = Excerpt(lines_of(SERVER_LOG), tuple(range(201, 213)), {9: Mark("root")})
    part = around(whole, 9, 2, 1)
    assert (part.before, part.after, part.numbers) == (7, 1, (208, 209, 210, 211))
    assert list(part.marks) == [2]


def test_a_very_long_line_is_cut_and_says_so() -> None:
    html = excerpt_html(Excerpt(("x" * 5000,)))
    assert len(html) < 2300
    assert "3,000 more characters" in html


def test_the_lines_of_a_diff_say_what_they_add_and_remove() -> None:
    html = code_html("--- a\n+++ b\n-old\n+new\n", "diff")
    assert re.findall(r'class="kb-l([^"]*)"', html) == ["", " kb-l-removed", " kb-l-added"]
    assert code_html("-B5 <x>", "sh") == "-B5 &lt;x&gt;"


def test_lines_that_look_alike_share_an_element() -> None:
    html = excerpt_html(Excerpt(("a", "", "b", "c", "d"), (), {2: Mark("symptom")}))
    assert html == (
        '<span class="kb-l">a\n\n</span><span class="kb-l kb-l-symptom">b\n</span><span class="kb-l">c\nd\n</span>'
    )
    assert excerpt_html(Excerpt(("a", "b"), (7, 8))).count('<span class="kb-l" data-n=') == 2
    assert excerpt_html(Excerpt(())) == code_html("", "diff") == ""


@given(st.lists(st.text(), max_size=5), st.sampled_from(["root", "symptom"]))
def test_no_line_becomes_markup(lines: list[str], kind: str) -> None:
    marks = {place: Mark(kind, KIMI.segments) for place in range(0, len(lines), 2)}
    html = str(excerpt_html(Excerpt(tuple(lines), (), marks)))
    stripped = re.sub(r'<span class="kb-[a-z -]*">|</span>|</?mark>', "", html)
    assert not re.search(r"[<>\"']", stripped)


def test_a_long_excerpt_keeps_its_ends_and_what_stands_around_its_marks() -> None:
    lines = tuple(f"line {number}" for number in range(1, 1001))
    short = shortened(Excerpt(lines, tuple(range(1, 1001)), {499: Mark("root")}), 40)
    assert len(short.lines) <= 43
    assert {"line 1", "line 490", "line 500", "line 510", "line 1000"} <= set(short.lines)
    assert short.lines[4].endswith("lines left out here; the record has them]")
    (place,) = short.marks
    assert short.lines[place] == "line 500"
    assert short.numbers[place] == 500


def test_a_short_excerpt_stays_as_it_is() -> None:
    excerpt = Excerpt(("a", "b"))
    assert shortened(excerpt, 2) is excerpt
    assert len(shortened(Excerpt(tuple("abcdefghijklmnopqrstuvwxyz")), 16).lines) <= 17
