"""Whether what a rule found is a secret: names and values that look like one and are none stay."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from kb.failures.tables import rows
from kb.private.rules import NAMES, VALUES, compiled

_NAME_BEFORE = re.compile(rb"[A-Za-z0-9_.-]{0,60}$")
_NAME = re.compile(rb"[A-Za-z0-9_.-]{1,120}")
_DIGIT = re.compile(rb"\d")
_LETTER = re.compile(rb"[A-Za-z]")
_WORDS = re.compile(rb"[A-Za-z]+(?:[_. :/-]+[A-Za-z]+)*[.,!;:]?")
_PLAIN = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_CODE = re.compile(rb"[(){}\[\]]")
_PASSWORDS = re.compile(rb"(?i)pass|pwd|pswd|secret|cred")
#: A value that ends a sentence or a call is the value without that.
_ENDS = b".,;:!)]}"
_SHORTEST = 4
_RANDOM = 8
_SHORT_PASSWORD = 6
_SHORT_WORD = 5
_LONG = 16


@cache
def _never() -> Any:
    """The values that are no secret, as one expression."""
    return _whole(VALUES, [cells[0] for _, cells in rows(VALUES, 1)])


@cache
def _harmless() -> Any:
    """The names that name no secret, as one expression."""
    return _whole(NAMES, [pattern for _, (what, pattern) in rows(NAMES, 2) if what == "not"])


def _whole(table: Path, patterns: list[str]) -> Any:
    return compiled("(?i)^(?:" + "|".join(patterns) + ")$", table, 0)


@cache
def _joined() -> Any:
    """Words in one: a name of something, though it may hold a digit."""
    return compiled(r"^(?:[A-Z]?[a-z]{3,}|[A-Z]{2,4}|\d{1,2}|[_-])+$", VALUES, 0)


def _joined_words(value: bytes) -> bool:
    """Whether `value` is words in one, as names of classes are: mostly small letters, hardly a digit."""
    small = sum(97 <= char <= 122 for char in value)
    digits = len(_DIGIT.findall(value))
    return small < len(value) < 2 * small and 10 * digits <= len(value) and _joined().search(value) is not None


def stays(value: bytes) -> bool:
    """Whether `value` is no secret wherever it stands: a placeholder, a variable, a word of messages."""
    return _never().search(value) is not None


def is_secret(check: str, line: bytes, begin: int, start: int, end: int) -> bool:
    """Whether `line[start:end]`, found by a rule with this `check` whose match begins at `begin`, is a secret."""
    value = line[start:end]
    if check == "mixed":
        return _mixed(value)
    if stays(value) or stays(value.rstrip(_ENDS)):
        return False
    if check == "any":
        return True
    if check == "long":
        return len(value) >= _LONG and (_DIGIT.search(value) is not None or _random_letters(value))
    return _named(check, line, begin, start, value)


def _mixed(value: bytes) -> bool:
    """Whether the characters are mixed as if drawn by lot: names made of words are not."""
    body = value.rpartition(b"_")[2]
    digits = len(_DIGIT.findall(body))
    if digits == 0:
        return _random_letters(body)
    return _LETTER.search(body) is not None and (digits > 1 or not (body.islower() or body.isupper()))


def _name(line: bytes, begin: int, start: int) -> bytes:
    """The name in front of the value: what stands before and in the match, up to what is no part of a name."""
    before = _NAME_BEFORE.search(line[max(0, begin - 60) : begin])
    text = (before[0] if before else b"") + line[begin:start]
    best = b""
    for match in _NAME.finditer(text):
        name = match[0].strip(b"-.")
        if _has_word(name):
            best = name
            break
        best = best or name
    return best


@cache
def _word() -> Any:
    word = "|".join(cells[1] for _, cells in rows(NAMES, 2) if cells[0] == "word")
    return compiled("(?i)(?:" + word + ")", NAMES, 0)


def _has_word(name: bytes) -> bool:
    return _word().search(name) is not None


def _named(check: str, line: bytes, begin: int, start: int, value: bytes) -> bool:
    name = _name(line, begin, start)
    if _harmless().search(name) is not None:
        return False
    if len(value) < _SHORTEST or value.lower() == name.lower():
        return False
    quoted = line[start - 1 : start] in (b'"', b"'", b"`")
    password = _PASSWORDS.search(name) is not None
    if _WORDS.fullmatch(value):
        return _word_is_secret(check, line, start, value, name, quoted=quoted, password=password)
    if check == "told":
        return _looks_random(value, shortest=_SHORT_PASSWORD if password else _RANDOM)
    if not password and (len(value) < _RANDOM or not _DIGIT.search(value)):
        return False
    if not password and _joined_words(value):
        return False
    return quoted or not _CODE.search(value)


def _word_is_secret(
    check: str, line: bytes, start: int, value: bytes, name: bytes, *, quoted: bool, password: bool
) -> bool:
    """Whether a value of letters only is one: a password may be a word where nothing but a value can stand."""
    if _random_letters(value):
        return True
    if not password or check == "told":
        return False
    if check == "whole":
        return b" " not in value and not (name.islower() and name == b"secret")
    if quoted:
        return b" " not in value or re.search(rb"(?i)phrase|word", name) is not None
    tight = line[start - 1 : start] == b"=" and line[start - 2 : start - 1] not in (b" ", b"=", b"!")
    option = line[: start - 1].rstrip().endswith(name) and b"-" + name in line
    plain = len(value) >= _SHORT_WORD and value.isalpha()
    return option or (tight and (plain or name.isupper()))


def _random_letters(value: bytes) -> bool:
    """Whether letters alone look drawn by lot: about half are capitals, while words joined have few."""
    if len(value) < _LONG or not value.isalpha():
        return False
    capitals = sum(65 <= char <= 90 for char in value)
    return 0.3 <= capitals / len(value) <= 0.7


def _looks_random(value: bytes, *, shortest: int) -> bool:
    """Whether `value` can stand in prose as a secret only: digits and letters mixed, long enough, no code."""
    if len(value) < shortest or _CODE.search(value) or not _DIGIT.search(value) or not _LETTER.search(value):
        return False
    changes = len(re.findall(rb"(?:[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z]))", value))
    return changes >= (2 if shortest == _RANDOM else 1)
