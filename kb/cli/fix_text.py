"""What a fix did, in words for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from kb.cli.terminal import one_line


class Tried(Protocol):
    """What is said of a fix besides its outcomes."""

    @property
    def fixed(self) -> int: ...
    @property
    def strength(self) -> str: ...
    @property
    def together(self) -> tuple[str, ...]: ...
    @property
    def ended_by(self) -> tuple[str, ...]: ...
    @property
    def ended_after(self) -> int: ...
    @property
    def came_back(self) -> str: ...


#: What each strength of a proof means.
PROOF = {
    "exit-0": "the rerun ended with exit status 0",
    "absent": "the output of the rerun lacks the failure",
    "soaked": "it stayed away for long, or over many runs",
    "reverted": "taking the fix back brought the failure back",
}


def outcome_words(*, fixed: int, progressed: int, failed: int, unverified: int) -> str:
    """The outcomes of a fix for one signature: `2 of 3 worked, 1 did not help`."""
    tries = fixed + progressed + failed
    said = []
    if fixed or (failed and not progressed):
        said.append(f"{fixed} of {tries} worked")
    if progressed:
        share = str(progressed) if said else f"{progressed} of {tries}"
        said.append(f"{share} got past it to another failure")
    if failed and (fixed or progressed):
        said.append(f"{failed} did not help")
    if unverified:
        said.append(f"{unverified} not verified")
    return ", ".join(said) or "never run"


def evidence_words(fix: Tried) -> Iterator[str]:
    """What else is known of a fix: how it is proven, what was tried with it, how its session ended, what came back."""
    if fix.strength:
        yield f"proof {fix.strength}: {PROOF[fix.strength]}"
    if fix.together:
        yield f"tried together with {', '.join(map(one_line, fix.together))}: which of them did it there is not known"
    if not fix.fixed and fix.ended_by:
        yield ending_words(fix.ended_by, fix.ended_after)
    if fix.came_back:
        yield f"the failure {one_line(fix.came_back)}"


def duration_words(seconds: float | None) -> str:
    """Seconds as people say them, in the two largest units."""
    left = round(seconds or 0)
    parts: list[str] = []
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        number, left = divmod(left, size)
        if number:
            parts.append(f"{number} {unit}")
    return " ".join(parts[:2]) or "0 s"


def cost_words(seconds: float | None, timed: int) -> str:
    """What an attempt costs: `16 s an attempt (median of 3)`, or "" when no attempt states a duration."""
    if not seconds or not timed:
        return ""
    return f"{duration_words(seconds)} an attempt ({'one' if timed == 1 else f'median of {timed}'})"


def ending_words(ended_by: Sequence[str], ended_after: int) -> str:
    """How the session of a fix that only led on to another failure ended, or ""."""
    if not ended_by:
        return ""
    more = f" (after {ended_after} more failure{'' if ended_after == 1 else 's'})" if ended_after else ""
    return f"the session ended fixed by {' and '.join(map(one_line, ended_by))}{more}"
