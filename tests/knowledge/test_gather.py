"""Knowledge over all sessions: counts, ranking, dead ends, chains, what came back."""

from __future__ import annotations

import pytest
from sessions_made import KEY, attempt, clean, facts_of, failed, fix

from kb.knowledge.gather import gather
from kb.knowledge.model import Knowledge, SessionFacts, SignatureKnowledge
from kb.knowledge.ranking import wilson_lower

INDEX_ID = facts_of(attempt(failed())).occurrences[0].signature.id
KEY_ID = facts_of(attempt(failed(KEY))).occurrences[0].signature.id


def works(slug: str, name: str, day: int, **fields: object) -> SessionFacts:
    """A session in which the fix works."""
    return facts_of(attempt(failed(), fix(slug)), attempt(clean()), name=name, day=day, **fields)


def fails(slug: str, name: str, day: int) -> SessionFacts:
    """A session in which the fix does not help."""
    return facts_of(attempt(failed(), fix(slug)), attempt(failed()), name=name, day=day)


def known(*facts: SessionFacts) -> SignatureKnowledge:
    """What is known of the IndexError after these sessions."""
    return gather(facts).signatures[INDEX_ID]


def test_outcomes_are_counted_over_sessions() -> None:
    one = known(works("a", "s1", 1), works("a", "s2", 2), fails("a", "s3", 3)).fixes[0]
    assert (one.fixed, one.progressed, one.failed, one.unverified) == (2, 0, 1, 0)
    assert one.lower_bound == pytest.approx(wilson_lower(2, 3))
    assert one.sessions == ("s3", "s2", "s1")


def test_progress_counts_as_success_for_the_failure_itself() -> None:
    facts = facts_of(attempt(failed(), fix("a")), attempt(failed(KEY)), name="s1")
    assert known(facts).fixes[0].lower_bound == pytest.approx(wilson_lower(1, 1))


def test_what_was_not_verified_is_no_try() -> None:
    one = known(works("a", "s1", 1), facts_of(attempt(failed(), fix("a")), name="s2", day=2)).fixes[0]
    assert one.unverified == 1
    assert one.lower_bound == pytest.approx(wilson_lower(1, 1))


def test_fixes_are_ranked_by_what_is_sure() -> None:
    sure = [works("often", f"s{day}", day) for day in (1, 2, 3)]
    facts = [
        *sure,
        works("once", "s4", 4),
        fails("never", "s5", 5),
        facts_of(attempt(failed(), fix("untried")), name="s6", day=6),
    ]
    assert [one.slug for one in known(*facts).fixes] == ["often", "once", "untried", "never"]


def test_the_newest_evidence_comes_first_on_ties() -> None:
    assert [one.slug for one in known(works("old", "s1", 1), works("new", "s2", 2)).fixes] == ["new", "old"]


def test_dead_ends_never_helped() -> None:
    facts = (fails("never", "s1", 1), works("sometimes", "s2", 2), fails("sometimes", "s3", 3))
    assert [one.slug for one in known(*facts).dead_ends] == ["never"]


def test_chains_lead_to_what_came_next_and_back() -> None:
    facts = [facts_of(attempt(failed(), fix("a")), attempt(failed(KEY)), name=f"s{day}", day=day) for day in (1, 2)]
    knowledge = gather(facts)
    (following,) = knowledge.signatures[INDEX_ID].next
    assert (following.fix, following.after, following.sessions) == ("a", KEY_ID, ("s2", "s1"))
    assert knowledge.signatures[KEY_ID].previous == (following,)
    assert knowledge.signatures[KEY_ID].next == ()


def test_versions_tags_and_dates_are_those_of_the_sessions() -> None:
    one = known(
        works("a", "s1", 1, components={"vllm": "0.15.1"}, tags=("gpu",)),
        works("a", "s2", 2, components={"vllm": "0.16.0", "torch": "2.6"}, tags=("cpu",)),
    )
    assert one.components == {"torch": ("2.6",), "vllm": ("0.16.0", "0.15.1")}
    assert one.tags == ("cpu", "gpu")
    assert (one.first_seen[:10], one.last_seen[:10]) == ("2026-01-01", "2026-01-02")
    assert one.fixes[0].versions == one.components


def test_the_expected_cost_is_the_median_of_the_stated_durations() -> None:
    durations = [facts_of(attempt(failed(seconds=seconds)), name=f"s{seconds}") for seconds in (10, 30, 500)]
    assert known(*durations).attempt_seconds == 30
    assert known(facts_of(attempt(failed()))).attempt_seconds is None


def led_on(slug: str, name: str, day: int, *then: str) -> SessionFacts:
    """A session in which a fix only led on to another failure, which the fixes `then` ended."""
    steps = [attempt(failed(KEY), fix(slug)), attempt(failed(), *map(fix, then))]
    return facts_of(*steps, *([attempt(clean())] if then else []), name=name, day=day)


def test_of_fixes_with_the_same_bound_the_one_that_ended_the_failures_is_first() -> None:
    other = known(works("a", "s1", 1)).signature.id
    facts = [led_on("newer", "s3", 3), facts_of(attempt(failed(KEY), fix("older")), attempt(clean()), name="s2", day=2)]
    (key,) = {o.signature.id for one in facts for o in one.occurrences} - {other}
    ranked = gather(facts).signatures[key].fixes
    assert [(one.slug, one.fixed, one.progressed) for one in ranked] == [("older", 1, 0), ("newer", 0, 1)]
    assert ranked[0].lower_bound == ranked[1].lower_bound


def test_a_fix_that_led_on_knows_what_ended_its_session() -> None:
    other = known(works("a", "s1", 1)).signature.id
    facts = [led_on("first", "s1", 1, "last", "beside"), led_on("first", "s2", 2)]
    (key,) = {o.signature.id for one in facts for o in one.occurrences} - {other}
    (ranked,) = gather(facts).signatures[key].fixes
    assert (ranked.ended_by, ranked.ended_after) == (("last", "beside"), 1)


def test_a_fix_after_which_the_failure_came_back_later_is_reopened() -> None:
    again = facts_of(attempt(failed(KEY), fix("a")), attempt(failed()), name="s2", day=2)
    assert known(works("a", "s1", 1), again).regressed == ("a",)


def test_a_later_session_that_does_not_make_the_fix_before_the_failure_reopens_nothing() -> None:
    assert known(works("a", "s1", 1), works("a", "s2", 2)).regressed == ()
    assert known(works("a", "s1", 1), works("b", "s2", 2)).regressed == ()


def test_an_earlier_failure_of_a_fix_does_not_reopen_its_later_success() -> None:
    assert known(fails("a", "s1", 1), works("a", "s2", 2)).regressed == ()


def test_the_role_is_the_one_it_mostly_had() -> None:
    assert known(works("a", "s1", 1)).role == "root"


def test_what_is_known_of_a_signature_needs_only_the_sessions_it_occurs_in() -> None:
    everything = [
        works("a", "s1", 1),
        facts_of(attempt(failed(KEY), fix("b")), attempt(failed()), name="s2", day=2),
        facts_of(attempt(failed(KEY), fix("b")), attempt(clean()), name="s3", day=3),
    ]
    whole: Knowledge = gather(everything)
    for key, expected in whole.signatures.items():
        mine = [one for one in everything if any(o.signature.id == key for o in one.occurrences)]
        assert gather(mine, only={key}).signatures == {key: expected}


def test_sessions_are_newest_first() -> None:
    assert list(gather([works("a", "s1", 1), works("a", "s3", 3), works("a", "s2", 2)]).sessions) == ["s3", "s2", "s1"]


@pytest.mark.parametrize(
    ("successes", "tries", "expected"),
    [(0, 0, 0.0), (0, 5, 0.0), (1, 1, 0.2065), (5, 5, 0.5655), (29, 31, 0.7928), (100, 100, 0.9630)],
)
def test_the_lower_bound_is_wilsons(successes: int, tries: int, expected: float) -> None:
    assert wilson_lower(successes, tries) == pytest.approx(expected, abs=5e-5)


def test_each_fix_says_why_it_stands_where_it_stands() -> None:
    facts = [works("a", f"a{n}", n) for n in (1, 2, 3)]
    facts += [works("b", "b1", 5), fails("c", "c1", 6), works("d", "d1", 4)]
    orders = {one.slug: one.order for one in known(*facts).fixes}
    assert orders["a"] == "first: helped in 3 of 3 tries, so in 44 % of all or more (95 % sure)"
    assert orders["b"] == "after a: helped in 1 of 1 try, so in 21 % of all or more (95 % sure), against 44 %"
    assert orders["d"].startswith("after b, whose evidence is newer")
    assert orders["c"] == "after d: helped in 0 of 1 try, against 21 %"


def test_a_regression_names_the_sessions_and_the_versions_of_both() -> None:
    before = works("a", "s1", 1, components={"vllm": "0.15.1", "python": "3.12"})
    again = facts_of(
        attempt(failed(KEY), fix("a")),
        attempt(failed()),
        name="s2",
        day=2,
        components={"vllm": "0.16.0", "python": "3.12"},
    )
    one = known(before, again)
    (back,) = one.regressions
    assert (back.fix, back.before, back.session, back.later) == ("a", "s1", "s2", True)
    assert (back.then, back.now) == ({"vllm": "0.15.1"}, {"vllm": "0.16.0"})
    (ranked,) = [fix for fix in one.fixes if fix.slug == "a"]
    assert ranked.came_back == (
        "came back after a in s2 with vllm 0.16.0, a later version; it had helped with vllm 0.15.1 (s1)"
    )


def test_how_many_attempts_state_a_duration_is_counted() -> None:
    facts = [facts_of(attempt(failed(seconds=s)), name=f"s{n}", day=n + 1) for n, s in enumerate((10, 30, 0))]
    one = known(*facts)
    assert (one.attempt_seconds, one.attempts_timed) == (20, 2)


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("`a` is in place since May.", ("a",)),
        ("With `a` still in place:", ("a",)),
        ("`a` might help.", ()),
        ("a in place", ()),
    ],
)
def test_a_session_can_say_that_a_fix_is_in_place(said: str, back: tuple[str, ...]) -> None:
    again = facts_of(attempt(failed()), name="s2", day=2, introduction=said)
    assert known(works("a", "s1", 1), again).regressed == back
