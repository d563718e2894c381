"""The answer of triage, which `kb triage --json` prints as the schema `kb-triage/1` says.

Named tuples: making a dataclass costs seven times as much, and triage pays it at every start.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from kb.failures.excerpt import Shown
from kb.failures.model import Failure
from kb.signature.model import Signature

SCHEMA = "kb-triage/1"

Verdict = Literal["known", "new", "symptom-only", "no-failure"]
Level = Literal["exact", "template", "similar"]


class KnownFix(NamedTuple):
    """A fix as offered for a match, with the counts of its outcomes for that signature.

    Where it only led on to another failure, `ended_by` are the fixes that ended the session, `ended_after` how many
    other failures were met until then. `components` are those of the sessions that it was made in.
    """

    slug: str
    title: str
    kind: str
    fixed: int
    progressed: int
    failed: int
    unverified: int
    lower_bound: float
    applies: bool
    sessions: tuple[str, ...]
    ended_by: tuple[str, ...] = ()
    ended_after: int = 0
    components: tuple[str, ...] = ()


class Next(NamedTuple):
    """The signature that came after a fix was made."""

    id: str
    after: str
    title: str


class Cause(NamedTuple):
    """The root failure of sessions that hold a symptom, with its fixes, the best first."""

    id: str
    title: str
    fixes: tuple[KnownFix, ...]


class Match(NamedTuple):
    """A known signature that this failure is, or resembles; `why` says so in words.

    Of one that sessions know as a symptom, `causes` are the root failures of these sessions, the most frequent first.
    `caution` says what to beware of before a fix is taken over, "" when nothing.
    """

    id: str
    title: str
    level: Level
    score: float
    why: tuple[str, ...]
    fixes: tuple[KnownFix, ...]
    next: tuple[Next, ...]
    causes: tuple[Cause, ...] = ()
    caution: str = ""


class Triaged(NamedTuple):
    """A failure with its signature, what is known of it, and, when asked for, the lines that a person needs to see."""

    failure: Failure
    signature: Signature
    matches: tuple[Match, ...]
    excerpt: tuple[Shown, ...] = ()


class Report(NamedTuple):
    """The answer for one input. `primary` indexes `failures`, or is None; `hints` say where to look when it matters."""

    source: str
    lines: int
    verdict: Verdict
    primary: int | None
    failures: tuple[Triaged, ...]
    hints: tuple[str, ...] = ()
