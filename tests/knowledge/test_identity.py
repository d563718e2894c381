"""What people decide about signatures: merges, parts, titles, whatever the order in which they were made."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions_made import INDEX, KEY, attempt, clean, facts_of, failed, fix, session, traceback

from kb.failures.find import find_failures
from kb.failures.model import Failure
from kb.index.store import holds
from kb.knowledge.derive import derive
from kb.knowledge.gather import gather
from kb.knowledge.identity import Identity
from kb.knowledge.model import SessionFacts
from kb.record.decision import Decision, Made, Merge, Rename, Split
from kb.record.model import Attempt
from kb.signature.model import Signature
from kb.signature.part import part_id
from kb.signature.sign import sign

A, B, C, D = (f"kb1-{letter * 10}" for letter in "abcd")
DISK = "OSError: [Errno 28] No space left on device: '/var/spool/part.txt'"
DISK_2 = "OSError: [Errno 28] No space left on device: '/mnt/cache/part.txt'"


def signed(error: str, file: str = "serve.py") -> tuple[Signature, Failure]:
    """The signature that the rules give to this error, and the failure."""
    (failure,) = find_failures(traceback(error, file)).failures
    return sign(failure), failure


def decided(*decisions: Decision) -> Identity:
    """These decisions, each in a file of its own."""
    return Identity(one._replace(made=one.made._replace(path=f"{at}.yaml")) for at, one in enumerate(decisions))


def facts_with(identity: Identity, *attempts: Attempt, name: str = "s1", day: int = 1) -> SessionFacts:
    """The facts of a session as people decided."""
    return derive(session(*attempts, name=name, day=day), f"sessions/{name}.md", identity)


def test_nothing_decided_changes_nothing() -> None:
    signature, failure = signed(INDEX)
    assert Identity().settle(signature, failure) is signature
    assert not Identity()


def test_a_merged_signature_goes_by_the_other_id_and_keeps_its_own_parts() -> None:
    signature, failure = signed(INDEX)
    settled = decided(Merge(B, (signature.id,))).settle(signature, failure)
    assert (settled.id, settled.signed) == (B, signature.id)
    assert (settled.template, settled.pattern) == (signature.template, signature.pattern)


def test_merges_may_follow_each_other() -> None:
    identity = decided(Merge(B, (A,)), Merge(C, (B,)))
    assert (identity.current(A), identity.current(B), identity.current(C)) == (C, C, C)
    assert identity.merged() == {A: C, B: C}
    assert list(identity.contradictions()) == []


def test_a_part_takes_those_whose_message_holds_the_text() -> None:
    signature, failure = signed(DISK)
    other, other_failure = signed(DISK_2)
    assert signature.id == other.id
    identity = decided(Split(signature.id, "message", "/var/spool", "The spool is full"))
    part = identity.settle(signature, failure)
    assert part.id == part_id(signature.id, "message", "/var/spool")
    assert (part.title, part.signed) == ("The spool is full", signature.id)
    assert identity.settle(other, other_failure) == other


def test_the_pattern_of_a_part_matches_its_own_lines_only() -> None:
    # The message's gap holds the path; the part opens it around the text.
    first = "RuntimeError: the worker for '/srv/models/a.bin' cannot be started twice at once"
    second = "RuntimeError: the worker for '/srv/caches/a.bin' cannot be started twice at once"
    signature, failure = signed(first)
    assert signature.pattern
    assert signature.id == signed(second)[0].id
    part = decided(Split(signature.id, "message", "models")).settle(signature, failure)
    assert holds(part.pattern, first)
    assert not holds(part.pattern, second)
    assert holds(signature.pattern, second)


def test_a_text_that_no_pattern_can_hold_leaves_none() -> None:
    signature, failure = signed(DISK)
    # The pattern ends before the path.
    part = decided(Split(signature.id, "message", "/var")).settle(signature, failure)
    assert part.pattern == "" or not holds(part.pattern, DISK_2)


def test_a_part_can_be_told_by_its_innermost_function() -> None:
    signature, failure = signed(DISK)
    part = decided(Split(signature.id, "function", "load")).settle(signature, failure)
    assert part.id == part_id(signature.id, "function", "load")
    assert part.context == " in load"
    assert decided(Split(signature.id, "function", "other")).settle(signature, failure) == signature


def test_the_longest_text_takes_a_failure_that_several_parts_claim() -> None:
    signature, failure = signed(DISK)
    short, long = Split(signature.id, "message", "spool"), Split(signature.id, "message", "/var/spool/part")
    for order in ((short, long), (long, short)):
        assert decided(*order).settle(signature, failure).id == part_id(signature.id, "message", "/var/spool/part")


def test_a_part_is_split_off_before_the_rest_is_merged() -> None:
    signature, failure = signed(DISK)
    rest, rest_failure = signed(DISK_2)
    identity = decided(Split(signature.id, "message", "/var/spool"), Merge(B, (signature.id,)))
    assert identity.settle(signature, failure).id == part_id(signature.id, "message", "/var/spool")
    assert identity.settle(rest, rest_failure).id == B
    (problem,) = identity.contradictions()
    assert "split by" in problem.message


def test_a_part_can_be_split_merged_and_named_like_any_signature() -> None:
    signature, failure = signed(DISK)
    part = part_id(signature.id, "message", "/var/spool")
    inner = part_id(part, "message", "part")
    identity = decided(Split(signature.id, "message", "/var/spool"), Split(part, "message", "part"), Rename(inner, "X"))
    settled = identity.settle(signature, failure)
    assert (settled.id, settled.title, settled.signed) == (inner, "X", signature.id)
    assert decided(Split(signature.id, "message", "/var/spool"), Merge(B, (part,))).settle(signature, failure).id == B


def test_a_part_that_is_merged_back_is_no_part_and_that_is_said() -> None:
    signature, failure = signed(DISK)
    part = part_id(signature.id, "message", "/var/spool")
    identity = decided(Split(signature.id, "message", "/var/spool"), Merge(signature.id, (part,)))
    assert identity.settle(signature, failure).id == signature.id
    (problem,) = identity.contradictions()
    assert "does nothing" in problem.hint


@pytest.mark.parametrize(
    ("decisions", "kept", "said"),
    [
        ((Merge(B, (A,)), Merge(A, (B,))), A, "other decisions merge that into"),
        ((Merge(B, (A,)), Merge(C, (B,)), Merge(A, (C,))), A, "other decisions merge that into"),
        ((Merge(C, (A,)), Merge(B, (A,))), B, "is merged into"),
        ((Merge(D, (C,)), Merge(B, (C,)), Merge(C, (A,))), B, "is merged into"),
    ],
)
def test_contradictions_are_named_and_resolved_in_one_way(
    decisions: tuple[Decision, ...], kept: str, said: str
) -> None:
    for seed in range(6):
        shuffled = list(decisions)
        random.Random(seed).shuffle(shuffled)
        identity = decided(*shuffled)
        ids = {
            one for decision in decisions if isinstance(decision, Merge) for one in (decision.into, *decision.others)
        }
        assert {identity.current(one) for one in ids} == {kept}
        assert any(said in problem.message for problem in identity.contradictions())
        assert all(problem.location.path and problem.hint for problem in identity.contradictions())


def test_a_name_that_only_the_merged_signature_has_names_both() -> None:
    """As when one clone names what the other one merges."""
    signature, failure = signed(INDEX)
    merge, name = Merge(B, (signature.id,)), Rename(signature.id, "The list is too short")
    named = decided(merge, name)
    assert named.settle(signature, failure).title == "The list is too short"
    assert named.settle(signature._replace(id=B), failure).title == "The list is too short"
    assert named.digest([B]) != decided(merge).digest([B])
    own = decided(merge, name, Rename(B, "Its own"))
    assert own.settle(signature, failure).title == own.settle(signature._replace(id=B), failure).title == "Its own"


def test_of_two_titles_the_newest_counts() -> None:
    signature, failure = signed(INDEX)
    old, new = (
        Rename(signature.id, title, Made(date=day)) for title, day in (("Z", "2026-01-01"), ("A", "2026-02-01"))
    )
    for order in ((old, new), (new, old)):
        identity = decided(*order)
        assert identity.settle(signature, failure).title == "A"
        (problem,) = identity.contradictions()
        assert "'A'" in problem.message
    assert list(decided(new, new).contradictions()) == []


def test_old_ids_of_other_versions_lead_to_what_they_are_now() -> None:
    signature, failure = signed(INDEX)
    identity = Identity([Merge(B, (A,)), Rename(A, "Named by its old id")], {A: signature.id})
    assert identity.settle(signature, failure).id == B
    assert identity.current(A) == B


def test_a_merge_turns_progress_into_the_same_failure_again() -> None:
    attempts = (attempt(failed(), fix("a")), attempt(failed(KEY), fix("b")), attempt(clean()))
    before = facts_of(*attempts)
    assert [one.outcome for one in before.tries] == ["progressed", "fixed"]
    first, second = (one.signature.id for one in before.occurrences if one.primary)
    after = facts_with(decided(Merge(first, (second,))), *attempts)
    assert [(one.outcome, one.signature_id) for one in after.tries] == [("failed", first), ("fixed", first)]


def test_a_split_turns_the_same_failure_again_into_progress() -> None:
    attempts = (attempt(failed(DISK), fix("a")), attempt(failed(DISK_2)))
    assert facts_of(*attempts).tries[0].outcome == "failed"
    name = facts_of(*attempts).occurrences[0].signature.id
    (tried,) = facts_with(decided(Split(name, "message", "/mnt/cache")), *attempts).tries
    assert (tried.outcome, tried.next_id) == ("progressed", part_id(name, "message", "/mnt/cache"))


def test_a_merged_signature_keeps_every_pattern_and_its_own_title() -> None:
    index, key = signed(INDEX)[0], signed(KEY)[0]
    identity = decided(Merge(index.id, (key.id,)))
    facts = [
        facts_with(identity, attempt(failed(), fix("a")), attempt(clean()), name="s1", day=1),
        facts_with(identity, attempt(failed(KEY), fix("a")), attempt(clean()), name="s2", day=2),
    ]
    (known,) = gather(facts).signatures.values()
    assert (known.signature.id, known.signature.title) == (index.id, index.title)
    assert [one.pattern for one in known.merged] == [key.pattern]
    assert (known.fixes[0].fixed, known.sessions) == (2, ("s2", "s1"))


@given(st.permutations([Merge(B, (A,)), Merge(C, (B,)), Split(A, "message", "x"), Rename(C, "N"), Rename(C, "M")]))
@settings(max_examples=60, deadline=None)
def test_the_order_of_decisions_never_matters(decisions: list[Decision]) -> None:
    identity, plain = decided(*decisions), decided(*sorted(decisions, key=repr))
    assert identity.merged() == plain.merged()
    assert identity.digest([A]) == plain.digest([A])


def test_the_digest_of_a_session_changes_only_with_what_concerns_it() -> None:
    none, some = decided(), decided(Merge(B, (A,)))
    assert none.digest([A]) == some.digest([C]) == ""
    assert some.digest([A]) == some.digest([B]) != ""
    assert decided(Merge(B, (A,)), Rename(B, "x")).digest([A]) != some.digest([A])
    assert decided(Merge(B, (A,)), Rename(C, "x")).digest([A]) == some.digest([A])
    part = part_id(A, "message", "x")
    split = decided(Split(A, "message", "x"))
    assert decided(Split(A, "message", "x"), Rename(part, "y")).digest([A]) != split.digest([A])
