"""Decisions are small YAML files: what kb writes reads back the same, and what is wrong has a file and a line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.record.decision import Decision, Made, Merge, Rename, Split, dump_decisions, load_decisions
from kb.record.decision_file import LONGEST_TEXT, decision_name, decision_text, read_decision
from kb.record.texts import UNPRINTABLE

A, B, C = "kb1-aaaaaaaaaa", "kb1-bbbbbbbbbb", "kb2-cccccccccc"

lines = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=60).filter(
    lambda text: text == text.strip() and not UNPRINTABLE.search(text)
)
texts = st.one_of(st.just(""), lines)
dates = st.sampled_from(["", "2026-11-29"])
made = st.builds(lambda date, by, why: Made(date=date, by=by, why=why), dates, texts, texts)
decisions: st.SearchStrategy[Decision] = st.one_of(
    st.builds(Merge, st.just(A), st.sampled_from([(B,), (B, C)]), made),
    st.builds(Split, st.just(A), st.sampled_from(["message", "function"]), lines, texts, made),
    st.builds(Rename, st.just(C), lines, made),
)


@given(decisions)
@settings(max_examples=300, deadline=None)
def test_what_is_written_reads_back_the_same(decision: Decision) -> None:
    read = read_decision(decision_text(decision).encode(), "decisions/x.yaml")
    assert read.problems == ()
    assert read.decision is not None
    assert read.decision._replace(made=read.decision.made._replace(path="", line=0)) == decision
    assert load_decisions(dump_decisions([decision])) == (decision,)


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_bytes_can_be_read(data: bytes) -> None:
    read_decision(b"kb: 1\n" + data, "x.yaml")


def test_a_file_says_where_it_stands() -> None:
    read = read_decision(f"kb: 1\nname: {A}\ntitle: One\n".encode(), "decisions/x.yaml")
    assert read.decision == Rename(A, "One", Made("decisions/x.yaml", 2))


def test_decisions_that_differ_have_files_of_their_own() -> None:
    one, two = (Rename(A, title, Made(date="2026-11-29")) for title in ("One", "Two"))
    assert decision_name(one) != decision_name(two)
    assert decision_name(one) == decision_name(one._replace(made=Made("elsewhere.yaml", 3, "2026-11-29")))
    assert decision_name(one).startswith(f"2026-11-29-name-{A}-")


@pytest.mark.parametrize(
    ("text", "line", "code", "said"),
    [
        ("", 1, "yaml", "empty"),
        ("[1]", 1, "yaml", "no list of keys"),
        ("kb: 1", 1, "decision", "decides nothing"),
        (f"kb: 1\nname: {A}\ntitle: x\nmerge: {B}", 4, "decision", "several things"),
        (f"kb: 2\nname: {A}\ntitle: x", 1, "version", "kb is '2'"),
        (f"name: {A}\ntitle: x", 1, "missing-key", "kb is missing"),
        (f"kb: 1\nname: {A}", 1, "missing-key", "title is missing"),
        ("kb: 1\nname: kb1-short\ntitle: x", 2, "value", "name is 'kb1-short'"),
        (f"kb: 1\nname: {A}\ntitle: ' x'", 3, "value", "title is ' x'"),
        (f"kb: 1\nname: {A}\ntitle: x\nwhom: me", 4, "unknown-key", "unknown key 'whom'"),
        (f"kb: 1\nname: {A}\ntitle: x\ndate: 29.11.2026", 4, "value", "date is"),
        (f"kb: 1\nname: {A}\nname: {B}\ntitle: x", 3, "duplicate-key", "stands twice"),
        (f"kb: 1\nmerge: [{B}, {B}]\ninto: {A}", 2, "value", "each of its ids once"),
        (f"kb: 1\nmerge: [{B}, nonsense]\ninto: {A}", 2, "value", "nonsense"),
        (f"kb: 1\nmerge: {A}\ninto: {A}", 3, "value", "into itself"),
        (f"kb: 1\nmerge: [{B}]", 1, "missing-key", "into is missing"),
        (f"kb: 1\nsplit: {A}", 2, "missing-key", "message and function"),
        (f"kb: 1\nsplit: {A}\nmessage: a\nfunction: b", 2, "missing-key", "message and function"),
        (f"kb: 1\nsplit: {A}\nmessage: {'x' * (LONGEST_TEXT + 1)}", 3, "value", "message is"),
        (f"kb: 1\nsplit: {A}\nmessage: {{a: b}}", 3, "value", "not one value"),
    ],
)
def test_what_is_wrong_has_a_line(text: str, line: int, code: str, said: str) -> None:
    read = read_decision(text.encode(), "decisions/x.yaml")
    (problem,) = [one for one in read.problems if one.code == code]
    assert problem.location == ("decisions/x.yaml", line)
    assert said in problem.message


def test_bytes_and_sizes_that_cannot_be_are_refused() -> None:
    assert [one.code for one in read_decision(b"kb: \xff", "x.yaml").problems] == ["not-utf8"]
    assert [one.code for one in read_decision(b"#" * 70_000, "x.yaml").problems] == ["too-large"]


def test_a_windows_line_end_and_comments_do_no_harm() -> None:
    text = f"# why not\r\nkb: 1\r\nmerge: {B}  # one\r\ninto: {A}\r\n"
    assert read_decision(text.encode(), "x.yaml").decision == Merge(A, (B,), Made("x.yaml", 3))
