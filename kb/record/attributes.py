"""Attributes of fences and headings: `{key=bare key="JSON string" flag}` after a language or a heading's words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kb.record.texts import UNPRINTABLE, shown

_SPACE = re.compile(r"[ \t]*")
_KEY = re.compile(r"[a-z][a-z0-9_-]*")
_BARE = re.compile(r"[^\s\"`{}=\\]+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_WRITTEN_BARE = re.compile(r"[A-Za-z0-9_./:@%+,~-]+")
_UNSAFE = re.compile(f"`|{UNPRINTABLE.pattern}")


class Fault(NamedTuple):
    """Something wrong in an attribute list: `column` is 1-based in the line; the rest is as in a problem."""

    column: int
    code: str
    message: str
    hint: str = ""


class Attributes(NamedTuple):
    """An attribute list as read: the values as texts (None for a flag), where each key stands, and what is wrong."""

    values: Mapping[str, str | None]
    columns: Mapping[str, int]
    faults: tuple[Fault, ...]


def read_attributes(text: str, column: int = 1) -> Attributes:
    """Read `text`, which begins with `{`; `column` is where that stands in its line.

    The first value of a key that stands twice counts. Reading ends at the first fault of syntax.
    """
    values: dict[str, str | None] = {}
    columns: dict[str, int] = {}
    faults: list[Fault] = []
    at, key = 1, ""
    while True:
        spaced = _end(_SPACE, text, at)
        if text.startswith("}", spaced):
            if text[spaced + 1 :].strip(" \t"):
                faults.append(_syntax(column + spaced + 1, "nothing may follow the closing brace"))
            break
        if spaced == at and 1 < at < len(text):
            values.pop(key, None)
            faults.append(_syntax(column + at, f"a space must stand after the value of {key}"))
            break
        pair = _read_pair(text, spaced, column)
        if isinstance(pair, Fault):
            faults.append(pair)
            break
        key, value, at = pair
        if key in values:
            faults.append(Fault(column + spaced, "duplicate-attribute", f"duplicate attribute {key}"))
        else:
            values[key], columns[key] = value, column + spaced
    return Attributes(values, columns, tuple(faults))


def _read_pair(text: str, at: int, column: int) -> tuple[str, str | None, int] | Fault:
    key = _KEY.match(text, at)
    if key is None:
        if at >= len(text):
            return _syntax(column + at, "the closing brace } is missing")
        return _syntax(column + at, f"expected the name of an attribute, found {shown(text[at])}")
    at = key.end()
    if not text.startswith("=", at):
        return key[0], None, at
    bare = _BARE.match(text, at + 1)
    if bare is not None:
        return key[0], bare[0], bare.end()
    if not text.startswith('"', at + 1):
        return _syntax(column + at + 1, f"{key[0]} has no value that can be read")
    quoted = _STRING.match(text, at + 1)
    if quoted is None:
        return _syntax(column + at + 1, f"the string of {key[0]} is never closed")
    try:
        return key[0], json.loads(quoted[0]), quoted.end()
    except json.JSONDecodeError as error:
        return _syntax(column + at + 1 + error.pos, f"the string of {key[0]} is no JSON string: {error.msg}")


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _syntax(column: int, message: str) -> Fault:
    return Fault(column, "attribute-syntax", message, 'write {key=word key="a JSON string"}')


def write_attributes(pairs: Iterable[tuple[str, str | None]]) -> str:
    """The attribute list of `pairs` (None makes a flag), or "" when there are none."""
    words = [key if value is None else f"{key}={_value(value)}" for key, value in pairs]
    return "{" + " ".join(words) + "}" if words else ""


def _value(text: str) -> str:
    if _WRITTEN_BARE.fullmatch(text):
        return text
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))
