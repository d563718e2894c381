"""What holds for the facts of any session."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from sessions_made import KEY, attempt, clean, facts_of, failed, fix, log, ran, traceback

from kb.knowledge.facts_json import dump, load
from kb.knowledge.gather import gather
from kb.record.model import Attempt, DeclaredFailure, Note

STEPS = [
    failed(),
    failed(KEY),
    failed(command="python other.py"),
    clean(),
    clean("ls"),
    ran("python serve.py --port 8000", "so far so good", status=130),
    ran("python serve.py --port 8000", "nothing to read here", status=2),
    log(traceback()),
    log("ready"),
    log("RuntimeError: Engine core initialization failed. See root cause above."),
    DeclaredFailure(slug="slow"),
    Note(prose="fails in 3 of 20 runs"),
    fix("a"),
    fix("b"),
    fix("revert-a"),
]


@st.composite
def histories(draw: st.DrawFn) -> list[Attempt]:
    """A few attempts of any steps."""
    made = []
    for number in range(1, draw(st.integers(1, 7)) + 1):
        steps = draw(st.lists(st.sampled_from(STEPS), max_size=3))
        reruns = draw(st.none() | st.integers(1, number - 1)) if number > 1 else None
        made.append(attempt(*steps, reruns=reruns))
    return made


@given(histories())
@settings(max_examples=300, deadline=None)
def test_outcomes_follow_from_what_is_recorded(history: list[Attempt]) -> None:
    facts = facts_of(*history)
    roots = {one.attempt: one.signature.id for one in facts.occurrences if one.primary}
    for tried in facts.tries:
        after = tried.attempt + 1
        assert tried.fix in {one.slug for one in facts.fixes if one.attempt == tried.attempt}
        assert tried.because
        assert (tried.outcome in ("fixed", "progressed")) == bool(tried.strength)
        assert (tried.outcome == "progressed") == bool(tried.next_id)
        if tried.outcome == "progressed":
            assert roots[after] == tried.next_id != tried.signature_id
        if tried.outcome == "failed":
            later = {one.signature.id for one in facts.occurrences if one.attempt >= after}
            assert tried.signature_id in later
        if tried.outcome == "fixed":
            bodies = [step for step in history[after - 1].steps if step.step in ("console", "log")]
            assert bodies
            exits = [step.exit for step in bodies if step.step == "console"]
            assert 0 in exits or any(step.step == "log" for step in bodies)
            assert roots.get(after) != tried.signature_id


@given(histories())
@settings(max_examples=150, deadline=None)
def test_an_attempt_ends_in_one_failure_at_most(history: list[Attempt]) -> None:
    facts = facts_of(*history)
    primaries = [one.attempt for one in facts.occurrences if one.primary]
    assert len(primaries) == len(set(primaries))


@given(histories())
@settings(max_examples=100, deadline=None)
def test_facts_survive_being_written_and_can_be_gathered(history: list[Attempt]) -> None:
    facts = facts_of(*history)
    assert load(dump(facts)) == facts
    knowledge = gather([facts])
    counted = sum(
        one.fixed + one.progressed + one.failed + one.unverified
        for known in knowledge.signatures.values()
        for one in known.fixes
    )
    assert counted == len(facts.tries)


@given(st.text(max_size=300), st.integers(-1, 130))
@settings(max_examples=150, deadline=None)
def test_any_console_can_be_read(body: str, status: int) -> None:
    facts = facts_of(
        attempt(ran("x", body, status=status), log(body or "-"), fix()), attempt(ran("x", body, status=status))
    )
    for one in facts.occurrences:
        assert one.excerpt == "" or 0 <= one.decisive < len(one.excerpt.split("\n"))
