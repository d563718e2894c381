"""The facts of a session survive being written down."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sessions_made import KEY, attempt, clean, facts_of, failed, fix, log, traceback

from kb.failures.model import Failure, Frame, Link
from kb.knowledge.facts_json import dump, load
from kb.knowledge.model import FixMade, Occurrence, SessionFacts, Try
from kb.signature.model import Reason, Segment, Signature

texts = st.text(max_size=12)
numbers = st.integers(0, 10**6)


def tuples(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Short tuples of these."""
    return st.lists(values, max_size=2).map(tuple)


frames = st.builds(Frame, texts, texts, numbers, texts)
links = st.builds(Link, st.sampled_from(["cause", "context", "remote"]), numbers)
roles = st.sampled_from(["root", "cascade", "wrapper", "teardown"])
failures = st.builds(
    Failure,
    **dict.fromkeys(("kind", "type", "message", "text", "reader"), texts),
    **dict.fromkeys(("line", "first_line", "last_line"), numbers),
    language=st.none() | texts,
    process=st.none() | texts,
    frames=tuples(frames),
    notes=tuples(texts),
    links=tuples(links),
    time=st.none() | st.floats(allow_nan=False),
    complete=st.booleans(),
    role=roles,
    because=tuples(texts),
    caused_by=st.none() | numbers,
)
signatures = st.builds(
    Signature,
    *[texts] * 4,
    tuples(st.builds(Segment, texts, texts)),
    *[texts] * 4,
    parts=tuples(texts),
    reasons=tuples(st.builds(Reason, texts, texts, texts)),
)
occurrences = st.builds(Occurrence, signatures, failures, numbers, roles, st.booleans(), texts, numbers, texts, numbers)
fixes = st.builds(FixMade, *[texts] * 3, numbers, *[texts] * 3, tuples(st.tuples(texts, texts)))
tries = st.builds(
    Try,
    texts,
    texts,
    numbers,
    st.sampled_from(["fixed", "progressed", "failed", "unverified"]),
    st.sampled_from(["", "exit-0", "absent", "soaked", "reverted"]),
    texts,
    tuples(texts),
    texts,
)
maps = st.dictionaries(texts, texts, max_size=2)
facts = st.builds(
    SessionFacts,
    *[texts] * 6,
    maps,
    maps,
    tuples(texts),
    texts,
    tuples(texts),
    tuples(occurrences),
    tuples(fixes),
    tuples(tries),
    tuples(st.floats(0, 1e6)),
    texts,
)


@given(facts)
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_reading_what_was_written_gives_the_same(one: SessionFacts) -> None:
    assert load(dump(one)) == one


def test_the_facts_of_a_session_survive() -> None:
    one = facts_of(
        attempt(
            failed(seconds=3), log(traceback(KEY), first=5), fix("a", blocks=({"language": "sh", "body": "x\0\x1b"},))
        ),
        attempt(clean()),
        components={"vllm": "1"},
        tags=("x",),
    )
    assert load(dump(one)) == one


def test_what_occurrences_share_is_written_once() -> None:
    one = facts_of(attempt(failed()), attempt(failed()), attempt(failed()))
    assert dump(one).count("list index out of range\\n") == 0
    assert len(dump(one)) < 1.5 * len(dump(facts_of(attempt(failed())))) + 400


def test_long_texts_stand_behind_the_first_two_lines_as_they_are() -> None:
    one = facts_of(attempt(failed("ValueError: ünï\u2028code")))
    first, second, rest = dump(one).split("\n", 2)
    assert one.text not in first + second
    assert rest == one.occurrences[0].excerpt + one.text
    assert load(dump(one) + "\0more") == one


def test_fixes_are_read_without_what_was_seen() -> None:
    one = facts_of(attempt(failed()), attempt(clean()))
    assert load(dump(one), seen=False) == replace(one, occurrences=())
