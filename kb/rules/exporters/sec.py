"""Rules for the Simple Event Correlator."""

from __future__ import annotations

from collections.abc import Sequence

from kb.rules.exporters.telling import advice, headline, plain, where
from kb.rules.model import Exported, TriageRule

NAME = "sec"
ABOUT = "SEC, the simple event correlator: a line of output for each known failure"
LOAD = "sec --conf=kb.sec --input=/var/log/app.log"
PROVED = "sec"

_TAKEN = "$%;()\\"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb.sec`. Each rule hands the line on to the next; the action writes to standard output."""
    rows = [
        f"# {_plain(headline(rule))}\n"
        "type=Single\nptype=RegExp\n"
        f"pattern={rule.pattern}\n"
        f"desc={_plain(headline(rule))}\n"
        f"action=write - {_plain(f'{rule.id} {where(rule)} {advice(rule)}')}\n"
        "continue=TakeNext\n"
        for rule in rules
    ]
    return (Exported("kb.sec", "\n".join(["# Made by kb; do not edit.", *rows])),)


def _plain(text: str) -> str:
    """`text` for a field in which `$` and `%` begin variables, `;` ends an action and parentheses group.

    A backslash at the end of a line, of a comment too, would take the next line in.
    """
    for char in _TAKEN:
        text = text.replace(char, " ")
    return plain(text, 900)
