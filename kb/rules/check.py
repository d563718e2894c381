"""A rule earns its place: it must match all of its own evidence, nobody else's, nothing healthy, and say enough."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import re2

from kb.rules.derive import Candidate
from kb.rules.model import Refusal, RuleSet, TriageRule
from kb.rules.portable import NotPortableError, parse
from kb.signature.pattern import LONGEST, SHORTEST_ANCHOR

COMMON = Path(__file__).with_name("common.txt")

#: What the words of a pattern must weigh together: a word of the common ones weighs 1, any other its letters up to 8.
INFORMATION = 10
#: Literal characters that a pattern must hold in all.
LITERAL = 16
_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}|\d+")


@cache
def _common() -> frozenset[str]:
    lines = COMMON.read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def information(pieces_text: Iterable[str]) -> int:
    """How much the literals of a pattern say: the sum of their distinct words' weights."""
    words = {word.lower() for text in pieces_text for word in _WORD.findall(text)}
    return sum(1 if word in _common() else min(len(word), 8) for word in words)


def check(candidates: Sequence[Candidate], healthy: Iterable[str] = ()) -> RuleSet:
    """The rules that may be exported, with lines of their evidence, and why the other signatures have none."""
    refused: list[Refusal] = []
    standing: list[Candidate] = []
    for one in candidates:
        problem = _alone(one)
        if problem is None:
            standing.append(_with_examples(one))
        else:
            refused.append(Refusal(one.rule.id, one.rule.title, *problem))
    compiled = {one.rule.id: re2.compile(one.rule.pattern) for one in standing}
    crying = _crying(standing, healthy)
    rules: list[TriageRule] = []
    for one in standing:
        if one.rule.id in crying:
            problem = "healthy", f"it matches a line of a healthy log: {crying[one.rule.id][:160]}"
        else:
            problem = _of_others(one, candidates, compiled[one.rule.id])
        if problem is None:
            rules.append(one.rule)
        else:
            refused.append(Refusal(one.rule.id, one.rule.title, *problem))
    return RuleSet(tuple(rules), tuple(sorted(refused)))


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
    if len(rule.pattern.encode()) > LONGEST:
        return "too-long", f"its pattern has more than {LONGEST} bytes"
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
    return _own(one)


def _own(one: Candidate) -> tuple[str, str] | None:
    compiled = re2.compile(one.rule.pattern)
    for texts in one.evidence:
        if not any(compiled.search(text) for text in texts):
            return "own-evidence", f"it does not match all of its own evidence: {texts[0][:160] if texts else ''}"
    return None


def _with_examples(one: Candidate) -> Candidate:
    compiled = re2.compile(one.rule.pattern)
    found = dict.fromkeys(next(text for text in texts if compiled.search(text)) for texts in one.evidence)
    return replace(one, rule=replace(one.rule, examples=tuple(found)[:3]))


def _of_others(one: Candidate, candidates: Sequence[Candidate], compiled: object) -> tuple[str, str] | None:
    """Another root failure whose own line the rule matches.

    What only reports this failure may quote it, and so may another failure of an attempt that has this one as well.
    """
    for other in candidates:
        if other.rule.id == one.rule.id or other.rule.role != "root":
            continue
        for place, texts in zip(other.places, other.evidence, strict=True):
            if place not in one.places and texts and one.rule.anchor in texts[0] and compiled.search(texts[0]):  # type: ignore[attr-defined]
                return "others", f"it also matches {other.rule.id}: {texts[0][:160]}"
    return None


def _crying(standing: Sequence[Candidate], healthy: Iterable[str]) -> dict[str, str]:
    """The rules that match a healthy line, with that line; all are tried together."""
    found: dict[str, str] = {}
    if not standing:
        return found
    options = re2.Options()
    options.max_mem = 256 << 20
    every = re2.Set.SearchSet(options)
    for one in standing:
        every.Add(one.rule.pattern)
    every.Compile()
    for line in healthy:
        for index in every.Match(line) or ():
            found.setdefault(standing[index].rule.id, line)
    return found
