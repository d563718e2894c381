"""What a fix did, in words for people."""

from __future__ import annotations

from collections.abc import Sequence

from kb.cli.terminal import one_line


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


def ending_words(ended_by: Sequence[str], ended_after: int) -> str:
    """How the session of a fix that only led on to another failure ended, or ""."""
    if not ended_by:
        return ""
    more = f" (after {ended_after} more failure{'' if ended_after == 1 else 's'})" if ended_after else ""
    return f"the session ended fixed by {' and '.join(map(one_line, ended_by))}{more}"
