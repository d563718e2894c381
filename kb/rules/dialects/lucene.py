"""Lucene's expressions, as Sigma's backends for Elasticsearch and OpenSearch pass them on: they match a whole value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.rules.model import Piece

#: Characters with a meaning there that other engines do not know (`#@&<>~"`): a dot reads alike everywhere.
_ONLY_THERE = frozenset('#@&~<>"')
_SPECIAL = frozenset("\\^$.|?*+()[]{}")


def for_sigma(pieces: Sequence[Piece]) -> str:
    """A pattern that Lucene and the other engines behind Sigma read alike, without what stands round it."""
    return "".join(_gap(piece.text) if piece.open else "".join(map(_char, piece.text)) for piece in pieces)


def _char(char: str) -> str:
    if char in _ONLY_THERE or not " " <= char <= "~":
        return "."
    return "\\" + char if char in _SPECIAL else char


def _gap(regex: str) -> str:
    """A gap of the closed list: groups need no mark there, and classes are read alike but for their quotes."""
    return re.sub(r'"', "'", regex.replace("(?:", "("))
