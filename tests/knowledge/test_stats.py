"""The numbers of a knowledge base."""

from __future__ import annotations

from datetime import date

from sessions_made import KEY, attempt, clean, facts_of, failed, fix

from kb.knowledge.gather import gather
from kb.knowledge.stats import stats_of

TODAY = date(2026, 1, 20)


def test_an_empty_knowledge_base_has_numbers_too() -> None:
    stats = stats_of(gather([]), TODAY)
    assert (stats.sessions, stats.first, stats.open, dict(stats.fixes)["fixed"]) == (0, "", (), 0)
    assert stats.resolve[""].n == 0


def test_signatures_fixes_and_tries_are_counted_by_what_came_of_them() -> None:
    facts = [
        facts_of(attempt(failed(), fix("dead")), attempt(failed(), fix("good")), attempt(clean()), name="s1", day=1),
        facts_of(attempt(failed(), fix("good")), attempt(clean()), name="s2", day=2),
        facts_of(attempt(failed(KEY), fix("on")), attempt(failed()), name="s3", day=3, resolution="open"),
        facts_of(attempt(failed("ValueError: nobody knows", "python other.py")), name="s4", day=4),
    ]
    stats = stats_of(gather(facts), TODAY)
    assert dict(stats.fixes) == {"fixed": 1, "progressed": 1, "failed": 1, "unverified": 0}
    assert dict(stats.tries) == {"fixed": 2, "failed": 1, "progressed": 1}
    assert dict(stats.signatures) == {"root": 3, "symptom": 0}
    assert [one.signature.type for one in stats.open] == ["ValueError"]
    assert [one.id for one in stats.open_sessions] == ["s3"]
    assert stats.most_seen[0].signature.type == "IndexError"
    assert (stats.chains, dict(stats.resolutions)) == (1, {"fixed": 3, "open": 1})


def test_the_time_to_resolve_is_a_median_with_its_number() -> None:
    stats = stats_of(gather([facts_of(attempt(failed()), name=f"s{n}", day=n) for n in (1, 2, 3)]), TODAY)
    assert (stats.resolve["fixed"].n, stats.resolve["fixed"].median) == (3, 7200)
    assert stats.resolve[""].n == 3


def test_what_is_old_is_told_and_nothing_is_dropped() -> None:
    old = facts_of(attempt(failed(), fix("a")), attempt(clean()), name="s1", day=1, components={"vllm": "0.11"})
    new = facts_of(attempt(failed(KEY)), name="s2", day=2, components={"vllm": "0.15"})
    stats = stats_of(gather([old, new]), date(2027, 6, 1))
    (one,) = stats.retest
    assert one.why == "last tried with vllm 0.11, now there is 0.15; last tried on 2026-01-01, 1 year ago"
    assert len(stats.unseen) == 2
    assert stats.fixes["fixed"] == 1
    assert stats_of(gather([old, new]), TODAY).retest == ()
    assert stats.components == (("vllm", 2, "0.15"),)
