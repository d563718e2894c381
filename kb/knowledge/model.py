"""What sessions teach: occurrences of signatures, fixes with derived outcomes, and chains.

`derive` makes a `SessionFacts` of one record, `gather` makes `Knowledge` of many. Everything is plain and frozen, and
converts to JSON, so that the index can keep the facts of a record beside its hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from kb.failures.model import Failure, Role
from kb.signature.model import Signature

Outcome = Literal["fixed", "progressed", "failed", "unverified"]
Strength = Literal["", "exit-0", "absent", "soaked", "reverted"]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A signature as seen in one attempt. `excerpt` is the evidence around it, `decisive` the 0-based line in it.

    `primary` marks the failure that the attempt ended in. `source` and `source_line` are where it stands in the log
    that the excerpt was taken from ("" and 0 when it is a console's).
    """

    signature: Signature
    failure: Failure
    attempt: int
    role: Role
    primary: bool
    excerpt: str = ""
    decisive: int = 0
    source: str = ""
    source_line: int = 0


@dataclass(frozen=True, slots=True)
class FixMade:
    """A fix as made in one attempt of one session."""

    slug: str
    kind: str
    title: str
    attempt: int
    target: str = ""
    applies: str = ""
    prose: str = ""
    blocks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Try:
    """What a fix did to a signature in one session: the outcome, how strong its proof is, and why."""

    signature_id: str
    fix: str
    attempt: int
    outcome: Outcome
    strength: Strength
    because: str
    together: tuple[str, ...] = ()
    next_id: str = ""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """All that is derived from one session record. Times are ISO 8601 in UTC, durations seconds.

    `attempts` are the titles; `attempt_seconds` is as long, with 0 where no duration is stated. `text` is the prose and
    the commands, for searching.
    """

    id: str
    title: str
    path: str
    started: str
    ended: str
    resolution: str
    components: Mapping[str, str]
    environment: Mapping[str, str]
    tags: tuple[str, ...]
    summary: str
    attempts: tuple[str, ...]
    occurrences: tuple[Occurrence, ...]
    fixes: tuple[FixMade, ...]
    tries: tuple[Try, ...]
    attempt_seconds: tuple[float, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class RankedFix:
    """A fix for one signature with its evidence over all sessions, as ranked by the lower bound (Wilson, 95 %).

    `first` and `last` are the dates of its evidence, `versions` and `environments` what the sessions had, newest first;
    `made` is the fix as made in each session. `ended_by` are the fixes that ended the newest session in which this one
    only led on to another failure, `ended_after` how many other failures were met until then. `order` says in words why
    it stands where it stands, `came_back` where the failure came back after it ("" when it did not).
    """

    slug: str
    title: str
    kind: str
    fixed: int
    progressed: int
    failed: int
    unverified: int
    lower_bound: float
    strength: Strength
    sessions: tuple[str, ...]
    last: str
    together: tuple[str, ...] = ()
    applies: str = ""
    target: str = ""
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    environments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first: str = ""
    made: tuple[tuple[str, FixMade], ...] = ()
    ended_by: tuple[str, ...] = ()
    ended_after: int = 0
    order: str = ""
    came_back: str = ""

    @property
    def components(self) -> tuple[str, ...]:
        """Those of the sessions that it was made in."""
        return tuple(self.versions)


@dataclass(frozen=True, slots=True)
class Regression:
    """A fix that helped in the session `before`, and after which the failure came back in a later one.

    `then` and `now` are the components whose versions differ between the two; `later` tells that one is newer now.
    """

    fix: str
    before: str
    session: str
    started: str
    then: Mapping[str, str]
    now: Mapping[str, str]
    later: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """`before` ──`fix`──► `after`: what one meets next, and in which sessions."""

    before: str
    fix: str
    after: str
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SignatureKnowledge:
    """Everything known of one signature, newest session first.

    `fixes` is ranked, the best first; `dead_ends` are those that never helped. `regressions` tell of fixes that once
    removed it, and after which it came back in a later session; `regressed` are their slugs. `attempt_seconds` is the
    median duration of the `attempts_timed` attempts that ended in it and state one. `merged` are the other signatures
    that the rules gave to its failures, which people said are this one: each has a pattern of its own.
    """

    signature: Signature
    role: Role
    declared: bool
    occurrences: tuple[tuple[str, Occurrence], ...]
    fixes: tuple[RankedFix, ...]
    next: tuple[Chain, ...]
    previous: tuple[Chain, ...]
    sessions: tuple[str, ...]
    first_seen: str
    last_seen: str
    components: Mapping[str, tuple[str, ...]]
    tags: tuple[str, ...] = ()
    attempt_seconds: float | None = None
    attempts_timed: int = 0
    regressions: tuple[Regression, ...] = ()
    merged: tuple[Signature, ...] = ()

    def as_signed(self) -> Iterator[SignatureKnowledge]:
        """What is known, once for each signature that people merged here: every one has a line of its own.

        The first is the one that gave the id; all bear its id and title.
        """
        if not self.merged:
            yield self
            return
        for signature in (self.signature, *self.merged):
            seen = tuple(one for one in self.occurrences if one[1].signature.signed == signature.signed)
            here = signature._replace(id=self.signature.id, title=self.signature.title)
            yield replace(self, signature=here, occurrences=seen)

    @property
    def regressed(self) -> tuple[str, ...]:
        """The fixes after which it came back, the last one first."""
        return tuple(dict.fromkeys(one.fix for one in self.regressions))

    @property
    def dead_ends(self) -> tuple[RankedFix, ...]:
        """Fixes that were tried on this signature and never helped."""
        return tuple(f for f in self.fixes if f.failed and not f.fixed and not f.progressed)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All sessions together: signatures by id, sessions by id (newest first).

    `aliases` are ids that a signature went by before, or that were merged into it, and the id that it goes by now.
    """

    sessions: Mapping[str, SessionFacts]
    signatures: Mapping[str, SignatureKnowledge]
    aliases: Mapping[str, str] = field(default_factory=dict)
