"""Postings: which blocks hold a gram, written so that a browser's gzip makes them small.

A posting is twice the number of a block, and one more where a title in it holds the gram. Sorted postings are written
as differences in characters of plain text: common differences are common characters, which gzip writes in few bits,
while base64 would hide them from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise

#: Characters that stand for themselves in JSON and in a script: the first half ends a number, the second goes on.
ALPHABET = "".join(chr(code) for code in range(0x23, 0x7F) if chr(code) not in '"\\<>&')
BASE = len(ALPHABET) // 2

_ENDS, _GOES_ON = ALPHABET[:BASE], ALPHABET[BASE : 2 * BASE]
#: The texts of the small numbers, which most distances are.
_SMALL = (*_ENDS, *(low + high for high in _ENDS[1:] for low in _GOES_ON))
_VALUE = {character: place for place, character in enumerate(ALPHABET)}


def pack(numbers: Iterable[int]) -> str:
    """Whole numbers from 0, in rising order, as text: each one's distance to the one before, low digits first."""
    ordered = list(numbers)
    with suppress(IndexError):  # where all distances are small
        return "".join([_SMALL[number - before - 1] for before, number in pairwise((-1, *ordered))])
    out: list[str] = []
    before = -1
    for number in ordered:
        rest = number - before - 1
        before = number
        if rest < len(_SMALL):
            out.append(_SMALL[rest])
            continue
        while rest >= BASE:
            out.append(_GOES_ON[rest % BASE])
            rest //= BASE
        out.append(_ENDS[rest])
    return "".join(out)


def unpack(text: str) -> list[int]:
    """The numbers of a packed text."""
    numbers: list[int] = []
    number, rest, scale = -1, 0, 1
    for character in text:
        digit = _VALUE[character]
        rest += digit % BASE * scale
        if digit >= BASE:
            scale *= BASE
            continue
        number += rest + 1
        numbers.append(number)
        rest, scale = 0, 1
    return numbers
