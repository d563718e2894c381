"""A triage rule: a signature in a form that other tools can load, with what its reader needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from kb.failures.model import Role

Severity = Literal["critical", "error", "warning"]


class Piece(NamedTuple):
    """A part of a pattern: literal text, or (`open`) an expression of the portable subset that stands for a gap."""

    text: str
    open: bool = False


class Remedy(NamedTuple):
    """The best fix that is proven for a signature: its slug, a sentence, its kind, and the evidence in words."""

    slug: str
    sentence: str
    kind: str
    evidence: str


@dataclass(frozen=True, slots=True)
class TriageRule:
    """One signature as a rule for one line of a log, without colours and line end.

    `pieces` are what every dialect renders; `pattern` is their portable regular expression, `anchor` the longest
    literal that every match holds. `url` is the runbook page ("" when the site has no address). `examples` are lines of
    the evidence that it matches; `sessions` says how many sessions saw it.
    """

    id: str
    title: str
    type: str
    message: str
    role: Role
    severity: Severity
    component: str
    components: tuple[str, ...]
    tags: tuple[str, ...]
    pieces: tuple[Piece, ...]
    pattern: str
    anchor: str
    url: str
    remedy: Remedy | None
    sessions: int
    first_seen: str
    last_seen: str
    examples: tuple[str, ...]


class Refusal(NamedTuple):
    """A signature that has no rule, and why: `code` is stable, `reason` is for people."""

    id: str
    title: str
    code: str
    reason: str


class RuleSet(NamedTuple):
    """The rules that earned their place, by id, and the signatures that have none."""

    rules: tuple[TriageRule, ...]
    refused: tuple[Refusal, ...]


class Exported(NamedTuple):
    """A file that an exporter wrote: its path below the output folder, and its text."""

    path: str
    text: str
