"""The portable subset of regular expressions: what every engine that kb exports to reads alike.

Literal printable ASCII, twelve escaped characters, `\\t` and `\\xHH`; classes of letters, digits, blank, `_ ' " : ,`
and the backquote; the dot; groups that do not capture; bounded repeats that do not nest; `^` and `$` at the ends only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kb.errors import KbError
from kb.rules.model import Piece
from kb.signature.pattern import LONGEST, escape

_SPECIAL = frozenset("\\^$.|?*+()[]{}")
_ESCAPED = re.compile(r"\\(?:([\\^$.|?*+()\[\]{}])|(t)|x([0-9a-f]{2}))")
_RUN = re.compile(r"[^\\^$.|?*+()\[\]{}]+")
_CLASS = re.compile(r"\[\^?(?:[A-Za-z0-9_ '\":,`]-[A-Za-z0-9_~]|[A-Za-z0-9_ '\":,`])+\]")
_REPEAT = re.compile(r"[*+?]|\{(\d{1,4})(?:,(\d{1,4})?)?\}")
_MOST = 1000


class NotPortableError(KbError):
    """An expression that some engine would refuse or read otherwise; the message says where and why."""

    exit_code = 65


class _Atom(NamedTuple):
    source: str
    literal: str | None
    optional: bool = False


def render(pieces: Sequence[Piece]) -> str:
    """The portable pattern of `pieces`."""
    out = "".join(piece.text if piece.open else escape(piece.text) for piece in pieces)
    return out[:-2] + "\\x5c" if out.endswith("\\\\") else out


def parse(pattern: str) -> tuple[Piece, ...]:
    """The pieces of a portable `pattern`. Raises NotPortableError with the place of what is not portable."""
    if not (pattern.isascii() and pattern.isprintable()):
        raise NotPortableError("it holds characters other than printable ASCII")
    if len(pattern.encode()) > LONGEST:
        raise NotPortableError(f"it has {len(pattern.encode())} bytes; {LONGEST} is the most that every target takes")
    atoms, end = _sequence(pattern, 0, 0)
    if end < len(pattern):
        raise NotPortableError(f"at {end + 1}: {pattern[end]!r} closes nothing, or is an alternative outside a group")
    pieces: list[Piece] = []
    for atom in atoms:
        is_open = atom.literal is None
        text = atom.source if atom.literal is None else atom.literal
        if pieces and pieces[-1].open == is_open:
            pieces[-1] = Piece(pieces[-1].text + text, is_open)
        else:
            pieces.append(Piece(text, is_open))
    if all(atom.optional for atom in atoms):
        raise NotPortableError("it matches the empty text")
    if pattern != pattern.strip():
        raise NotPortableError("it begins or ends with a blank, which several tools cut off")
    return tuple(pieces)


def _sequence(pattern: str, index: int, depth: int) -> tuple[list[_Atom], int]:
    """The atoms from `index` up to the end of the sequence, and where that is."""
    atoms: list[_Atom] = []
    while index < len(pattern) and pattern[index] not in ")|":
        if run := _RUN.match(pattern, index):
            # The last character is left to a repeat that may follow.
            end = run.end() - (run.end() < len(pattern) and pattern[run.end()] in "*+?{")
            if end > index:
                atoms.append(_Atom(pattern[index:end], pattern[index:end]))
                index = end
                continue
        atom, index = _atom(pattern, index, depth)
        if repeat := _REPEAT.match(pattern, index):
            _check_repeat(pattern, repeat, atom)
            index = repeat.end()
            optional = repeat[0][0] in "*?" or repeat[0].startswith(("{0", "{,"))
            atom = _Atom(atom.source + repeat[0], None, optional)
            if index < len(pattern) and pattern[index] in "*+?{":
                raise NotPortableError(f"at {index + 1}: a repeat of a repeat, or a lazy or possessive one")
        atoms.append(atom)
    return atoms, index


def _check_repeat(pattern: str, repeat: re.Match[str], atom: _Atom) -> None:
    bounds = [int(bound) for bound in repeat.groups() if bound]
    if bounds and (max(bounds) > _MOST or bounds != sorted(bounds)):
        raise NotPortableError(f"at {repeat.start() + 1}: a repeat of more than {_MOST}, or with its bounds turned")
    if bounds and re.search(r"(?<!\\)\{\d", atom.source):
        raise NotPortableError(f"at {repeat.start() + 1}: a counted repeat inside another")


def _atom(pattern: str, index: int, depth: int) -> tuple[_Atom, int]:
    char = pattern[index]
    if char == "\\":
        match = _ESCAPED.match(pattern, index)
        if match is None:
            raise NotPortableError(f"at {index + 1}: {pattern[index : index + 2]!r} is not read alike everywhere")
        literal = match[1] or ("\t" if match[2] else chr(int(match[3], 16)))
        return _Atom(match[0], literal), match.end()
    if char == "[":
        match = _CLASS.match(pattern, index)
        if match is None:
            raise NotPortableError(f"at {index + 1}: a class may hold letters, digits, blanks and _ ' \" : , only")
        return _Atom(match[0], None), match.end()
    if char == "(":
        return _group(pattern, index, depth)
    if char == ".":
        return _Atom(".", None), index + 1
    if (char == "^" and index == 0) or (char == "$" and index == len(pattern) - 1):
        return _Atom(char, None, optional=True), index + 1
    if char in _SPECIAL:
        raise NotPortableError(f"at {index + 1}: {char!r} stands where not every engine takes it; escape it")
    return _Atom(char, char), index + 1


def _group(pattern: str, index: int, depth: int) -> tuple[_Atom, int]:
    if not pattern.startswith("(?:", index):
        raise NotPortableError(f"at {index + 1}: only groups of the form (?:…) are read alike everywhere")
    if depth >= 8:
        raise NotPortableError(f"at {index + 1}: groups nested more than eight deep")
    start, optional = index, False
    index += 3
    while True:
        atoms, index = _sequence(pattern, index, depth + 1)
        if not atoms:
            raise NotPortableError(f"at {index + 1}: an empty alternative; write (?:…)? instead")
        optional = optional or all(atom.optional for atom in atoms)
        if index >= len(pattern):
            raise NotPortableError(f"at {start + 1}: the group is not closed")
        if pattern[index] == ")":
            return _Atom(pattern[start : index + 1], None, optional), index + 1
        index += 1
