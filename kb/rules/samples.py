"""Lines made from a rule: one that it must match, and one that is nearly that and must not match."""

from __future__ import annotations

import re

from kb.rules.model import Piece, TriageRule

#: What stands for a gap in a made line, tried in this order: the first that the gap matches whole is taken.
_VALUES = ("7", "0x7f", "7f-3a", "name_7", "'name'", "'", "`", "7 GiB", "7, 8", "some words", "é", "")


def hits(rule: TriageRule) -> tuple[str, ...]:
    """Lines that the rule must match: those of its evidence, and one made of its pieces."""
    return tuple(dict.fromkeys((*rule.examples, made(rule.pieces))))


def made(pieces: tuple[Piece, ...]) -> str:
    """A line of `pieces`, each gap filled with the first value that it matches."""
    return "".join(_filled(piece.text) if piece.open else piece.text for piece in pieces)


def near_miss(rule: TriageRule) -> str:
    """The made line with one character in the middle of the anchor changed, where no gap can take it up."""
    line = made(rule.pieces)
    start = line.find(rule.anchor)
    at = start + len(rule.anchor) // 2
    while at < start + len(rule.anchor) - 1 and not line[at].isalnum():
        at += 1
    other = "x" if line[at] not in "xX" else "y"
    changed = f"{line[:at]}{other}{line[at + 1 :]}"
    # The anchor may stand in the line twice; a miss must hold it nowhere.
    return changed.replace(rule.anchor, "")


def _filled(gaps: str) -> str:
    """Values for one or more gaps written side by side."""
    whole = re.compile(gaps)
    for value in _VALUES:
        if whole.fullmatch(value):
            return value
    for first in _VALUES:
        for second in _VALUES:
            if whole.fullmatch(first + second):
                return first + second
    return ""
