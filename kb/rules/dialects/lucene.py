"""Lucene's expressions, as Sigma's backends for Elasticsearch and OpenSearch pass them on: they match a whole value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.rules.model import Piece

#: Characters with a meaning there that other engines do not know (`#@&<>~"`): a dot reads alike everywhere.
_ONLY_THERE = frozenset('#@&~<>"')
_SPECIAL = frozenset("\\^$.|?*+()[]{}")
#: The parts of a gap: an escape, a class, a repeat, the beginning of a group, or one character.
_PART = re.compile(r"\\x[0-9a-f]{2}|\\.|\[[^\]]*\]|\{[0-9,]+\}|\(\?:|.", re.DOTALL)


def for_sigma(pieces: Sequence[Piece]) -> str:
    """A pattern that Lucene and the other engines behind Sigma read alike, for a whole value.

    There are no anchors there: what is bound to an end of the line has nothing written round it at that end.
    """
    first = pieces[0].open and pieces[0].text.startswith("^")
    last = pieces[-1].open and pieces[-1].text.endswith("$") and not pieces[-1].text.endswith("\\$")
    parts = [_gap(piece.text) if piece.open else _literal(piece.text) for piece in pieces]
    if first:
        parts[0] = parts[0].removeprefix("^")
    if last:
        parts[-1] = parts[-1].removesuffix("$")
    return f"{'' if first else '.*'}{''.join(parts)}{'' if last else '.*'}"


def _literal(text: str) -> str:
    return text.translate(_AS_READ) if text.isascii() and text.isprintable() else "".join(map(_char, text))


def _char(char: str) -> str:
    if char in _ONLY_THERE or not " " <= char <= "~":
        return "."
    return "\\" + char if char in _SPECIAL else char


_AS_READ = {code: _char(chr(code)) for code in range(ord(" "), ord("~") + 1)}


def _gap(regex: str) -> str:
    """A gap of the portable subset, part by part."""
    return "".join(map(_part, _PART.findall(regex)))


def _part(part: str) -> str:
    if part == "(?:":
        return "("
    if part[0] == "[":
        # A quote in a class is read otherwise by one engine or another: that position may be anything.
        return "." if '"' in part else part
    if part == "\\t" or part.startswith("\\x") or part in _ONLY_THERE:
        return "."
    return part
