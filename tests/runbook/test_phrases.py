"""Numbers and outcomes in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from runbook_factory import KIMI, small_knowledge

from kb.runbook.phrases import between, count, minute, proof, span


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.25, "250 ms"),
        (45, "45 s"),
        (190, "3 min 10 s"),
        (3600, "1 h"),
        (23400, "6 h 30 min"),
        (187_200, "2 d 4 h"),
    ],
)
def test_durations_have_at_most_two_units(seconds: float, words: str) -> None:
    assert span(seconds) == words


def test_counts_agree_with_their_noun() -> None:
    assert (count(1, "session"), count(1200, "session"), count(2, "try", "tries")) == (
        "1 session", "1,200 sessions", "2 tries",
    )  # fmt: skip


def test_times_are_shown_to_the_minute() -> None:
    assert minute("2026-02-22T15:10:00+00:00") == "2026-02-22 15:10 UTC"


def test_a_duration_needs_both_ends() -> None:
    assert between("2026-02-22T15:10:00Z", "2026-02-22T15:11:00Z") == 60
    assert between("2026-02-22T15:10:00Z", "") is None


def test_the_proof_of_a_fix_is_said_in_one_phrase() -> None:
    knowledge, _ = small_knowledge()
    fix = knowledge.signatures[KIMI.id].fixes[0]
    assert proof(fix) == "got past it 3 times"
    assert proof(replace(fix, fixed=2, failed=1)) == "fixed it in 2 of 6 tries, got past it 3 times"
    assert proof(replace(fix, progressed=0, failed=2)) == "did not help in 2 tries"
    assert proof(replace(fix, progressed=0)) == "never verified: nothing was run after it"
