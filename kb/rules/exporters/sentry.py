"""Sentry fingerprint rules: events of one signature are grouped under its id and title."""

from __future__ import annotations

from collections.abc import Sequence

from kb.rules.dialects.glob import glob
from kb.rules.exporters.telling import headline
from kb.rules.model import Exported, Piece, TriageRule

NAME = "sentry"
ABOUT = "Sentry fingerprint rules: events grouped under the signature's id and title"
LOAD = "Paste kb-sentry.txt into a project's Fingerprint Rules; the first rule that matches wins."
PROVED = "Sentry's own glob matcher (sentry-ophio), and a reader of the documented grammar; no Sentry is run"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb-sentry.txt`. Where the pattern begins with the exception's type, that is matched as such."""
    lines = ["# Made by kb; do not edit. The first rule that matches wins."]
    lines += [f"{_matchers(rule)} -> {rule.id} title={_quoted(headline(rule))}" for rule in rules]
    return (Exported("kb-sentry.txt", "\n".join(lines) + "\n"),)


def value_of(rule: TriageRule) -> tuple[str, str]:
    """The exception's type ("" when the pattern does not begin with it), and the glob of its value."""
    first, *rest = rule.pieces
    head = f"{rule.type}: "
    if rule.type and not first.open and first.text.startswith(head):
        pieces = [Piece(first.text.removeprefix(head)), *rest]
        return rule.type, glob([piece for piece in pieces if piece.text])
    return "", glob(rule.pieces)


def _matchers(rule: TriageRule) -> str:
    type_, value = value_of(rule)
    # The type is told with and without its package.
    return (f"error.type:{_quoted('*' + type_)} " if type_ else "") + f"error.value:{_quoted(value)}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
