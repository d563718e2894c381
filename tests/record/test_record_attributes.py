"""Attribute lists and the typed values in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_strategies import any_text

from kb.record.attributes import read_attributes, write_attributes
from kb.record.model import Span
from kb.record.texts import escape, prose, unescape, without_surrogates
from kb.record.values import DURATION, INSTANT, INTEGER, SPAN, Form


def test_values_are_bare_words_json_strings_or_absent() -> None:
    read = read_attributes(r'{exit=1 cwd="/a b" note="\u0060" noeol}')
    assert read.values == {"exit": "1", "cwd": "/a b", "note": "`", "noeol": None}
    assert read.faults == ()


def test_a_fault_names_its_column_in_the_line() -> None:
    read = read_attributes("{exit=1 exit=2 =}", column=13)
    assert [(fault.column, fault.code) for fault in read.faults] == [
        (21, "duplicate-attribute"),
        (28, "attribute-syntax"),
    ]
    assert read.values == {"exit": "1"}


def test_what_is_written_needs_quotes_only_where_it_must_have_them() -> None:
    written = write_attributes(
        [("exit", "1"), ("cwd", "/a b"), ("applies", "vllm>=0.15"), ("empty", ""), ("noeol", None)]
    )
    assert written == '{exit=1 cwd="/a b" applies="vllm>=0.15" empty="" noeol}'


@given(st.dictionaries(st.from_regex(r"[a-z][a-z0-9_-]*", fullmatch=True), st.none() | any_text, min_size=1))
def test_any_attributes_round_trip_on_one_line_without_backticks(values: dict[str, str | None]) -> None:
    clean = {key: value if value is None else without_surrogates(value) for key, value in values.items()}
    written = write_attributes(clean.items())
    assert "\n" not in written
    assert "`" not in written
    read = read_attributes(written)
    assert read.values == clean
    assert read.faults == ()


@given(any_text)
def test_no_attribute_list_makes_the_reader_raise(text: str) -> None:
    read_attributes("{" + text)


@pytest.mark.parametrize(
    ("form", "text", "value", "written"),
    [
        (INTEGER, "-9", -9, "-9"),
        (INTEGER, "007", 7, "7"),
        (DURATION, "190s", timedelta(seconds=190), "3m10s"),
        (DURATION, "1h", timedelta(hours=1), "1h"),
        (DURATION, "2d1s", timedelta(days=2, seconds=1), "2d1s"),
        (DURATION, "250ms", timedelta(milliseconds=250), "0.25s"),
        (DURATION, "0s", timedelta(0), "0s"),
        (INSTANT, "2026-02-22T16:10+01:00", datetime(2026, 2, 22, 15, 10, tzinfo=UTC), "2026-02-22T15:10:00Z"),
        (INSTANT, "2026-02-22 15:10:00.5Z", datetime(2026, 2, 22, 15, 10, 0, 500000, UTC), "2026-02-22T15:10:00.5Z"),
        (SPAN, "7", Span(first=7, last=7), "7"),
        (SPAN, "7-7", Span(first=7, last=7), "7"),
        (SPAN, "211-240", Span(first=211, last=240), "211-240"),
    ],
)
def test_a_value_is_read_in_its_forms_and_written_in_one(form: Form, text: str, value: object, written: str) -> None:
    assert form.read(text) == value
    assert form.write(value) == written


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (INTEGER, "1.0"),
        (INTEGER, "٣"),
        (INTEGER, "9" * 5000),
        (DURATION, ""),
        (DURATION, "3:10"),
        (DURATION, "10s3m"),
        (DURATION, "-1s"),
        (INSTANT, "2026-02-22"),
        (INSTANT, "2026-02-22T15:10:00"),
        (INSTANT, "2026-02-30T15:10:00Z"),
        (INSTANT, "0001-01-01T00:00:00+01:00"),
        (INSTANT, "1771772400"),
        (SPAN, "0"),
        (SPAN, "9-2"),
        (SPAN, "a-b"),
    ],
)
def test_what_is_no_value_of_its_form_is_refused(form: Form, text: str) -> None:
    with pytest.raises(ValueError):
        form.read(text)


@given(any_text)
def test_an_escaped_body_is_plain_lines_and_unescapes_to_itself(body: str) -> None:
    body = without_surrogates(body)
    escaped = escape(body)
    assert escaped.count("\n") == body.count("\n")
    assert not any(ord(character) < 32 and character not in "\n\t" for character in escaped)
    assert unescape(escaped) == (body, None)


@given(any_text)
def test_normalising_prose_twice_changes_nothing_more(text: str) -> None:
    once = prose(text)
    assert prose(once) == once
    assert "\r" not in once


def test_prose_keeps_the_indent_of_its_first_line() -> None:
    assert prose("\n \n    code\n\nmore  \n\n") == "    code\n\nmore"
