"""A rule earns its place: it must match all of its own evidence, nobody else's, nothing healthy, and say enough."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import re2

from kb.rules.derive import Candidate
from kb.rules.lookup import Lookup
from kb.rules.model import Piece, Refusal, RuleSet, TriageRule
from kb.rules.portable import NotPortableError, parse
from kb.signature.pattern import SHORTEST_ANCHOR
from kb.triage.similar import common_words

#: What the words of a pattern must weigh together: a word of the common ones weighs 1, any other its letters up to 8.
INFORMATION = 10
#: Literal characters that a pattern must hold in all.
LITERAL = 16
_MOST_WIDE = 3
_WIDE = re.compile(r"(?<!\\)(?:\.|\[\^[^\]]*\])[*+]")
_NESTED = re.compile(r"\(\?:((?:[^()\\]|\\.|\(\?:[^()]*\))*)\)[*+{]")
_REPEATED = re.compile(r"(?<!\\)[*+}]")
#: A round that begins with a literal, and in which nothing else could be that literal: only classes that exclude it.
_BEGINS_APART = re.compile(r"(?:\\[^dDwWsSbB]|[A-Za-z0-9 ,:](?![*+?{]))(?:\[[A-Za-z0-9-]+\][*+?]?)*$")
_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}|\d+")


def information(pieces_text: Iterable[str]) -> int:
    """How much the literals of a pattern say: the sum of their distinct words' weights."""
    words = {word.lower() for text in pieces_text for word in _WORD.findall(text)}
    return sum(1 if word in common_words() else min(len(word), 8) for word in words)


def check(candidates: Sequence[Candidate], healthy: Iterable[str] = ()) -> RuleSet:
    """The rules that may be exported, with lines of their evidence, and why the other signatures have none."""
    refused: list[Refusal] = []
    standing: list[Candidate] = []
    for one in candidates:
        problem = _alone(one)
        examples: tuple[str, ...] = ()
        if problem is None:
            examples, problem = _examples(one)
        if problem is None:
            standing.append(replace(one, rule=replace(one.rule, examples=examples)))
        else:
            refused.append(Refusal(one.signature, one.rule.title, *problem))
    lookup = Lookup([one.rule for one in standing])
    wrong = _of_others(standing, candidates, lookup)
    for line in healthy:
        for rule in lookup.matching(line):
            wrong[rule.id] = "healthy", f"it matches a line of a healthy log: {line[:160]}"
    refused += [Refusal(one.signature, one.rule.title, *wrong[one.rule.id]) for one in standing if one.rule.id in wrong]
    return RuleSet(
        tuple(one.rule for one in standing if one.rule.id not in wrong),
        tuple(sorted(refused)),
    )


def _alone(one: Candidate) -> tuple[str, str] | None:
    """What is wrong with a rule before others are looked at."""
    rule = one.rule
    if one.declared:
        return "declared", "a declared failure leaves no line in a log"
    if not rule.pattern:
        return "no-line", "its line says too little: without its frames it cannot be told from other failures"
    if one.needs_context:
        return "context", "its line counts only together with a frame above it, and these tools see one line at a time"
    try:
        parse(rule.pattern)
    except NotPortableError as error:
        return "not-portable", str(error)
    literals = [piece.text for piece in rule.pieces if not piece.open]
    count = sum(map(len, literals))
    if len(rule.anchor) < SHORTEST_ANCHOR or count < LITERAL:
        return "too-short", (
            f"it has {count} literal characters, {len(rule.anchor)} of them in a row; "
            f"{LITERAL} and {SHORTEST_ANCHOR} are the least"
        )
    if (weight := information(literals)) < INFORMATION:
        return (
            "says-little",
            f"its words weigh {weight}, and {INFORMATION} is the least: they are common to many failures",
        )
    if steep := explosive(rule.pieces):
        return "explosive", steep
    return None


def explosive(pieces: Sequence[Piece]) -> str:
    """Why an engine that backtracks (JavaScript, Java, Perl, .NET) may need very long for a line; "" when none does.

    Repeats inside a repeat, unless each round begins with a character of its own; more than three gaps that can hold
    anything; two such gaps side by side.
    """
    anything = 0
    for piece in pieces:
        if not piece.open:
            continue
        for inner in _NESTED.findall(piece.text):
            if _REPEATED.search(inner) and not _BEGINS_APART.match(inner):
                return f"a repeat inside a repeat: {piece.text[:80]}"
        wide = len(_WIDE.findall(piece.text))
        if wide > 1:
            return f"gaps side by side that can hold the same: {piece.text[:80]}"
        anything += wide
    return f"it has {anything} gaps that can hold anything; three are the most" if anything > _MOST_WIDE else ""


def _examples(one: Candidate) -> tuple[tuple[str, ...], tuple[str, str] | None]:
    """Lines of the evidence that the rule matches, three at most; or what of its own evidence it does not match."""
    matches = _matcher(one.rule)
    found: dict[str, None] = {}
    for texts in one.evidence:
        shown = next((text for text in texts if matches(text)), None)
        if shown is None:
            said = texts[0][:160] if texts else ""
            return (), ("own-evidence", f"it does not match all of its own evidence: {said}")
        found[shown] = None
    return tuple(found)[:3], None


def _matcher(rule: TriageRule) -> Callable[[str], object]:
    """Whether the pattern is found in a line. One without gaps is looked for as it stands: each compiled pattern that
    has been used takes a tenth of a millisecond and of a megabyte."""
    literal = "".join(piece.text for piece in rule.pieces)
    if literal.isascii() and not any(piece.open for piece in rule.pieces):
        return partial(_holds, literal)
    return re2.compile(rule.pattern).search  # type: ignore[no-any-return]


def _holds(literal: str, line: str) -> bool:
    return literal in line


def _is_strange(
    leads: Mapping[str, str],
    places: Mapping[str, Collection[tuple[str, int]]],
    signature: str,
    place: tuple[str, int],
    rule: TriageRule,
) -> bool:
    """Whether `rule` leads elsewhere than to `signature` and has no occurrence at `place`."""
    return leads[rule.id] != signature and place not in places[rule.id]


def _of_others(
    standing: Sequence[Candidate], candidates: Sequence[Candidate], lookup: Lookup
) -> dict[str, tuple[str, str]]:
    """The rules that match the own line of another root failure, by id.

    What only reports this failure may quote it, and so may another failure of an attempt that has this one as well.
    """
    found: dict[str, tuple[str, str]] = {}
    places = {one.rule.id: frozenset(one.places) for one in standing}
    leads = {one.rule.id: one.signature for one in standing}
    for other in candidates:
        if other.rule.role != "root":
            continue
        for place, texts in zip(other.places, other.evidence, strict=True):
            strange = partial(_is_strange, leads, places, other.signature, place)
            for rule in lookup.matching(texts[0], strange) if texts else ():
                found.setdefault(rule.id, ("others", f"it also matches {other.rule.id}: {texts[0][:160]}"))
    return found
