"""An excerpt shows the decisive line and what is around it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kb.failures.model import Failure
from kb.knowledge.excerpt import MOST_LINES, excerpt
from kb.knowledge.stated import runs_needed, stated_runs, stated_share


def failure(first: int, last: int, line: int) -> Failure:
    return Failure("exception", "E", "m", line, first, last, f"line {line}")


def test_short_evidence_is_kept_whole() -> None:
    assert excerpt(["a", "b", "c"], failure(2, 2, 2)) == ("a\nb\nc", 1)


def test_of_long_evidence_the_report_and_three_lines_before_it_are_kept() -> None:
    lines = [f"line {number}" for number in range(1, 201)]
    shown, decisive = excerpt(lines, failure(100, 110, 110))
    assert shown.split("\n") == lines[96:110]
    assert shown.split("\n")[decisive] == "line 110"


def test_a_long_report_is_cut_in_its_middle_and_says_so() -> None:
    lines = [f"line {number}" for number in range(1, 501)]
    shown, decisive = excerpt(lines, failure(10, 480, 480))
    rows = shown.split("\n")
    assert rows[0] == "line 7"
    assert rows[decisive] == "line 480"
    assert "lines left out" in shown


@given(st.integers(1, 400), st.data())
@settings(max_examples=200, deadline=None)
def test_the_decisive_line_is_always_there(count: int, data: st.DataObject) -> None:
    lines = [f"line {number}" for number in range(1, count + 1)]
    first = data.draw(st.integers(1, count))
    last = data.draw(st.integers(first, count))
    decisive = data.draw(st.integers(first, last))
    shown, place = excerpt(lines, failure(first, last, decisive))
    rows = shown.split("\n")
    assert rows[place] == f"line {decisive}"
    assert len(rows) <= MOST_LINES


def test_words_state_runs() -> None:
    assert stated_share("fails in 3 of 20 runs") == (3, 20)
    assert stated_share("step 3 of 20") is None
    assert stated_share("7 of 3 runs") is None
    assert stated_runs("soak: 50 runs, none failed") == 50
    assert stated_runs("ran it 12 times") == 12
    assert stated_runs("ten times faster, 10 times faster") == 1


def test_the_number_of_clean_runs_follows_from_the_share_of_failing_ones() -> None:
    assert runs_needed(1, 1) == 1
    assert runs_needed(1, 2) == 5
    assert runs_needed(3, 20) == 19
    assert runs_needed(1, 100) == 299
