"""Globs: `*` for what varies, and the characters that mean something there with a backslash."""

from __future__ import annotations

from collections.abc import Sequence

from kb.rules.model import Piece

_SPECIAL = frozenset("*?[]{}\\")


def glob(pieces: Sequence[Piece]) -> str:
    """A glob that finds `pieces` anywhere in a text. Wider than the pattern: a star says nothing of what varies."""
    out = "*"
    for piece in pieces:
        if piece.open:
            out += "" if out.endswith("*") and not out.endswith("\\*") else "*"
        else:
            out += _literal(piece.text)
    return out if out.endswith("*") and not out.endswith("\\*") else f"{out}*"


def _literal(text: str) -> str:
    return text.translate(_AS_READ) if text.isascii() and text.isprintable() else "".join(map(_char, text))


def _char(char: str) -> str:
    if not " " <= char <= "~":
        return "?"
    return "\\" + char if char in _SPECIAL else char


_AS_READ = {code: _char(chr(code)) for code in range(ord(" "), ord("~") + 1)}
