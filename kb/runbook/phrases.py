"""Numbers, dates and outcomes in the words a page uses."""

from __future__ import annotations

from datetime import datetime

from kb.failures.model import Role
from kb.knowledge.model import Outcome, RankedFix, Strength

ROLE: dict[Role, str] = {
    "root": "root cause",
    "cascade": "follows from another failure",
    "wrapper": "wraps another failure",
    "teardown": "after-effect of stopping",
}

OUTCOME: dict[Outcome, str] = {
    "fixed": "fixed it",
    "progressed": "got past it, to the next failure",
    "failed": "did not help",
    "unverified": "nothing was run after it",
}

STRENGTH: dict[Strength, str] = {
    "": "",
    "exit-0": "the rerun ended well",
    "absent": "the output of the rerun lacks the failure",
    "soaked": "the rerun ran long enough, or often enough, without the failure",
    "reverted": "taking the fix back brought the failure back",
}

RESOLUTION: dict[str, str] = {
    "fixed": "fixed",
    "worked-around": "worked around",
    "mitigated": "mitigated",
    "abandoned": "abandoned",
    "open": "still open",
}


def day(moment: str) -> str:
    """The date of an ISO 8601 time, or "" when there is none."""
    return moment[:10]


def minute(moment: str) -> str:
    """Date and time of an ISO 8601 time in UTC, to the minute."""
    return moment[:16].replace("T", " ") + " UTC" if len(moment) > 10 else moment


def span(seconds: float) -> str:
    """A duration in at most two units: `45 s`, `3 min 10 s`, `6 h 30 min`, `2 d 4 h`."""
    whole = round(seconds)
    if whole < 1:
        return f"{round(seconds * 1000)} ms"
    for unit, size, smaller, part in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{whole} s"


def between(start: str, end: str) -> float | None:
    """Seconds from one ISO 8601 time to another, None where one is missing or unreadable."""
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError):
        return None


def sentence(words: str) -> str:
    """`words` with a capital at their beginning, and nothing else changed."""
    return words[:1].upper() + words[1:]


def count(number: int, singular: str, plural: str = "") -> str:
    """`1 session`, `3 sessions`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def tries(fix: RankedFix) -> int:
    """How often the fix was tried and something was run after it."""
    return fix.fixed + fix.progressed + fix.failed


def helped(fix: RankedFix) -> int:
    """How often the failure was gone after the fix."""
    return fix.fixed + fix.progressed


def proof(fix: RankedFix) -> str:
    """The evidence for a fix in one phrase: what happened in how many tries."""
    done = tries(fix)
    if not done:
        return "never verified: nothing was run after it"
    if not helped(fix):
        return f"did not help in {count(done, 'try', 'tries')}"
    words = []
    if fix.fixed:
        words.append(f"fixed it in {fix.fixed} of {count(done, 'try', 'tries')}")
    if fix.progressed:
        words.append(f"got past it {'once' if fix.progressed == 1 else f'{fix.progressed} times'}")
    return ", ".join(words)
