"""The excerpt that knowledge keeps of a failure's evidence: short evidence whole, of long evidence what matters."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kb.failures.excerpt import excerpt as cut_out
from kb.failures.model import Failure

#: Evidence of at most this many lines is kept whole; a longer one is cut to as many.
MOST_LINES = 60
_LONGEST_LINE = 4000


def excerpt(
    lines: Sequence[str], failure: Failure, own: Collection[str] = (), beside: Sequence[Failure] = ()
) -> tuple[str, int]:
    """The lines around `failure`, and the 0-based place of its decisive line among them.

    What is left out is replaced by one line that says how much it was; frames of the functions `own` stay. Of all
    failures of the evidence (`beside`), those are shown too that go on with it or report it again.
    """
    at = min(max(failure.line - 1, 0), len(lines) - 1)
    if len(lines) <= MOST_LINES:
        return "\n".join(map(_bounded, lines)), at
    shown = cut_out(lines, failure, own=own, most=MOST_LINES, beside=beside)
    place = next((index for index, one in enumerate(shown) if one.number == at + 1), 0)
    return "\n".join(one.text for one in shown), place


def _bounded(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "[...]"
