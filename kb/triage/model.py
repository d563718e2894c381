"""The answer of triage, which `kb triage --json` prints as the schema `kb-triage/1` says.

Named tuples: making a dataclass costs seven times as much, and triage pays it at every start.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from kb.failures.excerpt import Shown
from kb.failures.model import Failure
from kb.signature.model import Signature

if TYPE_CHECKING:
    from kb.knowledge.model import Strength

_NOTHING: Mapping[str, str] = MappingProxyType({})

SCHEMA = "kb-triage/1"

#: Why a match is exact where nobody decided anything about it: that need not be said twice.
SAME_SIGNATURE = "the signature is the same"

Verdict = Literal["known", "new", "symptom-only", "no-failure"]
Level = Literal["exact", "template", "similar"]


class KnownFix(NamedTuple):
    """A fix as offered for a match, with the counts of its outcomes for that signature.

    Where it only led on to another failure, `ended_by` are the fixes that ended the session, `ended_after` how many
    other failures were met until then. `components` are those of the sessions that it was made in, `together` the fixes
    that shared a try with it. `order` says why it stands where it stands; `excluded` why it is not for the reader's
    version, `retest` why its evidence is old, `came_back` where the failure came back after it ("" each when not so).
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
    strength: "Strength" = ""
    together: tuple[str, ...] = ()
    last: str = ""
    order: str = ""
    excluded: str = ""
    retest: str = ""
    came_back: str = ""


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

    An attempt at it took `attempt_seconds`, the median of `attempts_timed` (0 when none states a duration). Of one that
    sessions know as a symptom, `causes` are the root failures of these sessions, the most frequent first. `caution`
    says what to beware of before a fix is taken over, "" when nothing.
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
    attempt_seconds: float = 0
    attempts_timed: int = 0


class Triaged(NamedTuple):
    """A failure with its signature, what is known of it, and, when asked for, the lines that a person needs to see."""

    failure: Failure
    signature: Signature
    matches: tuple[Match, ...]
    excerpt: tuple[Shown, ...] = ()


class Report(NamedTuple):
    """The answer for one input. `primary` indexes `failures`, or is None; `hints` say where to look when it matters.

    `versions` are those of components that matter to the matches, as given or as the log states them.
    """

    source: str
    lines: int
    verdict: Verdict
    primary: int | None
    failures: tuple[Triaged, ...]
    hints: tuple[str, ...] = ()
    versions: Mapping[str, str] = _NOTHING
