"""Whether a session's own record shows that it ended well: what `kb finish` need not ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.terminal import cut

if TYPE_CHECKING:
    from kb.record.model import Session

_WIDE = 160


def fixed_or_why_not(session: Session) -> str:
    """ "" when the failure of the session was tried again and is gone, else what is missing to say so, in words.

    Where a fix was named, its outcome counts, as the knowledge base will show it; else the last failing command, or
    log, must have been there again and have ended well, and nothing may have failed after it.
    """
    from kb.capture.draft import failed_last, how_to_prove, still_failing

    outcome = _of_the_last_fix(session)
    if outcome is not None:
        return outcome
    failing = still_failing(session)
    if failing is not None:
        return f"missing is {how_to_prove(failing)}"
    return "" if failed_last(session) is not None else "nothing failed in it"


def _of_the_last_fix(session: Session) -> str | None:
    """Why the fix that was made last is not proven, "" when it is; None when none was made, or something ran since."""
    from kb.knowledge.attempts import read_attempt
    from kb.knowledge.proof import tries

    read = [read_attempt(attempt, number) for number, attempt in enumerate(session.attempts, start=1)]
    made = list(tries(read))
    if not made or made[-1].attempt < len(read) - 1:
        return None
    last = made[-1]
    return "" if last.outcome == "fixed" else cut(f"{last.fix} is {last.outcome}: {last.because}", _WIDE)
