"""A rule earns its place, or its signature is refused with the reason."""

from __future__ import annotations

import pytest

from kb.rules.check import check, explosive
from kb.rules.derive import Candidate
from kb.rules.model import Piece, TriageRule
from kb.rules.portable import render
from kb.rules.samples import hits, near_miss


def candidate(
    name: str,
    *pieces: Piece,
    evidence: tuple[str, ...],
    place: str = "one",
    context: bool = False,
    declared: bool = False,
) -> Candidate:
    """A rule of these pieces, seen in one attempt of session `place`."""
    literals = [piece.text for piece in pieces if not piece.open]
    rule = TriageRule(
        id=name, title=name, type="", message="", role="root", severity="error", component="c", components=("c",), tags=(),
        pieces=pieces, pattern=render(pieces), anchor=max(literals, key=len, default=""), url="", remedy=None, sessions=1,
        first_seen="", last_seen="", examples=(),
    )  # fmt: skip
    return Candidate(rule, name, (evidence,), ((place, 1),), context, declared)


def codes(*given: Candidate, healthy: tuple[str, ...] = ()) -> dict[str, str]:
    """The code of refusal by id; of what became a rule the code is ""."""
    found = check(given, healthy)
    return {**{rule.id: "" for rule in found.rules}, **{one.id: one.code for one in found.refused}}


ATTRIBUTE = Piece("object has no attribute 'image_token_index'")


def test_a_specific_rule_that_matches_its_evidence_stands_with_an_example() -> None:
    line = "worker 3: 'X' object has no attribute 'image_token_index'"
    found = check([candidate("kb1-a", ATTRIBUTE, evidence=(line,))])
    assert [rule.examples for rule in found.rules] == [(line,)]
    assert not found.refused


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("own-evidence", candidate("r", ATTRIBUTE, evidence=("something else",))),
        ("too-short", candidate("r", Piece("short"), evidence=("short",))),
        (
            "says-little",
            candidate("r", Piece("unknown error: failed to run"), evidence=("unknown error: failed to run",)),
        ),
        ("context", candidate("r", ATTRIBUTE, evidence=(ATTRIBUTE.text,), context=True)),
        ("declared", candidate("r", evidence=(), declared=True)),
        ("no-line", candidate("r", evidence=("x",))),
        ("not-portable", candidate("r", ATTRIBUTE, Piece(r"\d+", True), Piece("x"), evidence=(ATTRIBUTE.text + "1x",))),
    ],
)
def test_a_rule_that_would_mislead_is_refused(code: str, given: Candidate) -> None:
    assert codes(given) == {"r": code}


def test_a_rule_that_matches_another_signatures_evidence_is_refused() -> None:
    wide = candidate("kb1-wide", Piece("connection to database "), Piece(".*", True), Piece(" failed:"), evidence=(
        "connection to database main failed: timeout",))  # fmt: skip
    other = candidate(
        "kb1-other",
        Piece("connection to database main failed: password authentication"),
        evidence=("connection to database main failed: password authentication",),
        place="two",
    )
    assert codes(wide, other) == {"kb1-wide": "others", "kb1-other": ""}


def test_a_failure_of_the_same_attempt_may_quote_it() -> None:
    inner = candidate("kb1-inner", ATTRIBUTE, evidence=(ATTRIBUTE.text,))
    outer = candidate("kb1-outer", Piece("engine core died because its worker said so"), evidence=(
        f"engine core died because its worker said so: {ATTRIBUTE.text}",))  # fmt: skip
    assert codes(inner, outer) == {"kb1-inner": "", "kb1-outer": ""}


def test_a_rule_that_matches_a_healthy_line_is_refused() -> None:
    rule = candidate("r", ATTRIBUTE, evidence=(ATTRIBUTE.text,))
    assert codes(rule, healthy=("ok", f"test_{ATTRIBUTE.text} PASSED")) == {"r": "healthy"}


def test_hits_match_and_near_misses_do_not() -> None:
    import re2

    given = candidate("r", Piece("port "), Piece("[0-9]+", True), Piece(" of the gateway is taken by"), evidence=(
        "port 8000 of the gateway is taken by nginx",))  # fmt: skip
    (rule,) = check([given]).rules
    assert all(re2.search(rule.pattern, line) for line in hits(rule))
    assert not re2.search(rule.pattern, near_miss(rule))


@pytest.mark.parametrize(
    ("steep", "gaps"),
    [
        (False, "[0-9]+(?:\\.[0-9]+)*"), (False, "(?:[0-9, ]|-)+"), (False, "'[^']*'"), (False, ".*"),
        (True, "(?:a+)+"), (True, "(?:[a-z]*)*"), (True, "(?:.*x)+"), (True, ".*.*"), (True, ".+[^ ]*"),
    ],
)  # fmt: skip
def test_what_a_backtracking_engine_chokes_on_is_explosive(steep: bool, gaps: str) -> None:
    assert bool(explosive([Piece("a start"), Piece(gaps, True), Piece("an end")])) is steep


def test_more_than_three_gaps_that_hold_anything_are_explosive() -> None:
    assert explosive([Piece(part, part == ".*") for part in "a.*b.*c.*d.*e".replace(".*", " .* ").split()])
    assert not explosive([Piece(part, part == ".*") for part in "a.*b.*c.*d".replace(".*", " .* ").split()])
