"""Whatever the types allow can be written, reads back the same, and is written the same again."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from record_strategies import PIECES, any_text, sessions

from kb.errors import RecordError
from kb.record.model import Attempt, Block, Console, DeclaredFailure, Diagnosis, Fix, Log, Note, Session
from kb.record.reader import read_session
from kb.record.writer import write_session

BODIES = {
    "backtick runs": "```\nlog\n````\n~~~\n",
    "an unclosed fence": "```console {exit=1}\n$ ls",
    "marks of the record": "---\n## Attempt 9: x\n### Fix: a {kind=patch}\n",
    "tabs and trailing blanks": "\ta \t\n\n  b  \n\n\n",
    "carriage returns": "10%\r50%\r100%\r\ndone\r\n",
    "a form feed": "page one\x0cpage two\n",
    "NUL": "a\0b\n",
    "next line": "a\x85b\n",
    "line separators": "a\u2028b\u2029c\n",
    "a byte order mark": "\ufeffa\n",
    "colours": "\x1b[31mERROR\x1b[0m\n",
    "backslashes": "C:\\x\\u0041\\\n",
    "backslashes and controls": "C:\\x41\\u0041\\\x07\n",
    "a long line": "x" * 10_000,
    "right-to-left text": "שגיאה: הקובץ לא נמצא\n",
    "reordering marks": "a\u202eb\u202c\n",
    "nothing": "",
    "one line end": "\n",
    "no line end": "a",
    "blank lines only": "\n\n\n",
    "HTML": "<pre><!-- <script>\n",
}


def around(body: str) -> Session:
    """A session that holds `body` wherever a body can stand."""
    steps = (Console(body=body), Log(body=body), Fix(slug="a", kind="patch", blocks=(Block(body=body),)))
    return Session(id="a", title="a", started="2026-01-01T00:00:00Z", attempts=(Attempt(title="a", steps=steps),))


def assert_round_trip(session: Session) -> None:
    text = write_session(session)
    reading = read_session(text, "a.md")
    assert reading.problems == ()
    assert reading.session == session
    assert write_session(reading.session) == text
    assert not any(mark in text for mark in "\r\0\ufeff\u2028\x85")
    assert text.endswith("\n")


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_body_is_kept_to_the_character(body: str) -> None:
    assert_round_trip(around(body))


def test_a_lone_surrogate_becomes_a_replacement_character() -> None:
    assert Console(body="a\ud800b").body == "a\ufffdb"
    assert_round_trip(around("a\ud800b"))


@pytest.mark.parametrize("piece", PIECES)
def test_prose_of_every_place_may_hold_what_markdown_reads_as_structure(piece: str) -> None:
    prose = f"before\n{piece}\nafter {piece}"
    session = around("x")
    attempt = Attempt(title="a", steps=(Note(prose=prose), Note(prose=prose)))
    assert_round_trip(session.model_copy(update={"attempts": (attempt,)}))
    steps = (Fix(slug="a", kind="patch", prose=prose), Diagnosis(prose=prose), DeclaredFailure(slug="a", prose=prose))
    assert_round_trip(session.model_copy(update={"attempts": (Attempt(title="a", steps=steps),)}))
    assert_round_trip(Session(**{**dict(session), "introduction": prose, "closing": prose}))


@given(sessions())
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_any_session_round_trips(session: Session) -> None:
    assert_round_trip(session)


@given(any_text)
@settings(max_examples=300, deadline=None)
def test_any_body_round_trips(body: str) -> None:
    assert_round_trip(around(body))


def test_times_are_kept_and_written_in_utc() -> None:
    session = Session(id="a", title="a", started="2026-01-01T01:30:00+02:00")
    assert str(session.started) == "2025-12-31 23:30:00+00:00"
    assert "started: 2025-12-31T23:30:00Z\n" in write_session(session)


def test_the_text_of_a_version_is_kept_and_quoted_where_other_readers_would_make_it_a_number() -> None:
    front = "---\nkb: 1\nid: a\ntitle: a\nstarted: 2026-01-01T00:00:00Z\ncomponents: {torch: 1.10, vllm: 0.15.1}\n---\n"
    session = read_session(front, "a.md").session
    assert session is not None
    assert session.components == {"torch": "1.10", "vllm": "0.15.1"}
    assert 'components: {torch: "1.10", vllm: 0.15.1}\n' in write_session(session)


@given(sessions())
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_any_session_round_trips_as_json(session: Session) -> None:
    assert Session.model_validate_json(session.model_dump_json()) == session


@given(st.one_of(any_text, any_text.map(lambda text: "---\n" + text + "\n---\n"), st.lists(any_text).map("\n".join)))
@example("---\nid: [[[[\n---\n")
@example("---\n" + "[" * 5000 + "\n---\n")
@example("---\n? a\n: b\n---\n")
@example("---\na: &a [*a]\n---\n")
@example("")
@example("```")
@settings(max_examples=500, deadline=None)
def test_no_text_makes_the_reader_raise(text: str) -> None:
    reading = read_session(text, "a.md")
    assert reading.session is not None or reading.problems


@given(sessions(), st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_no_damage_to_a_record_makes_the_reader_raise(session: Session, data: st.DataObject) -> None:
    text = write_session(session)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    read_session(text[:start] + data.draw(any_text) + text[end:], "a.md")


def test_a_session_larger_than_a_record_may_be_is_refused() -> None:
    with pytest.raises(RecordError, match="at most 256 KiB") as caught:
        write_session(around("x" * 100_000))
    assert caught.value.problems[0].code == "too-large"
