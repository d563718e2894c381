"""Peeling what log lines carry in front of their own text: process labels, levels, times, places.

The shapes are data (`prefixes.txt`). All shapes form one anchored expression, tried again after every prefix that
matched, so a line costs a few attempts whatever the number of layers; the depth is bounded.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kb.errors import Location, TableError
from kb.expressions import late
from kb.failures.tables import choice, holds_digit, parts, rows

TABLE = Path(__file__).with_name("prefixes.txt")

#: Real logs nest up to four prefixes (CI, container, actor, rank, record); more would be an attack.
_DEPTH = 8

_NAMED = late(r"\(\?P<(\w+)>")

#: A line is peeled only if one of these begins it: prefixes start with a bracket, a digit or a letter.
_LEVELS = {
    "V": "debug",
    "I": "info",
    "W": "warning",
    "E": "error",
    "F": "fatal",
    "WARN": "warning",
    "CRITICAL": "fatal",
    "ERR!": "error",
    "sill": "debug",
    "verb": "debug",
    "TRACE": "debug",
    "NOTICE": "info",
    "ALERT": "fatal",
    "EMERGENCY": "fatal",
    "PANIC": "fatal",
    "DPANIC": "fatal",
    "VRB": "debug",
    "DBG": "debug",
    "INF": "info",
    "WRN": "warning",
    "ERR": "error",
    "FTL": "fatal",
    "trce": "debug",
    "dbug": "debug",
    "warn": "warning",
    "fail": "error",
    "crit": "fatal",
    "notice": "info",
    "D": "debug",
    "N": "info",
    "C": "fatal",
    "TRC": "debug",
    "FINEST": "debug",
    "FINER": "debug",
    "FINE": "debug",
    "CONFIG": "debug",
    "SEVERE": "error",
    "NOISE": "debug",
    "LOG": "info",
    "emerg": "fatal",
    "fatal error": "fatal",
    "critical": "fatal",
    "alert": "fatal",
    "emergency": "fatal",
}


class Peeled(NamedTuple):
    """A line without its prefixes.

    `key` tells the streams apart; `process` is the label for people (the innermost); `record` says that a record begins
    here. `level` is lower-case (debug, info, warning, error, fatal) and "" when none was given; `time` is as printed.
    `labelled` says that a process names itself before each of its lines.
    """

    text: str
    key: str
    process: str
    level: str
    time: str
    record: bool
    labelled: bool = False


class _Shape(NamedTuple):
    name: str
    kind: str
    groups: tuple[tuple[str, int], ...]


class _Shapes(NamedTuple):
    """Shapes as one expression; `tops` tells by the number of the group that closed last which shape matched."""

    expression: re.Pattern[str]
    tops: dict[int, _Shape]


@cache
def _table() -> tuple[tuple[int, str, str, str], ...]:
    table: list[tuple[int, str, str, str]] = []
    for number, (name, kind, pattern) in rows(TABLE, 3):
        if kind not in ("line", "outer", "record"):
            raise TableError(
                f"unknown kind {kind!r}", location=Location(str(TABLE), number), hint="line, outer or record"
            )
        table.append((number, name, kind, pattern))
    return tuple(table)


#: What a text can begin with: brackets, a date (T after it or not), another digit, a capital, another letter, the rest.
_CLASSES = "([Td0Aa*"
_DATES = ((r"\d{4}-\d\d-\d\dT", "T"), (r"\d{4}-\d\d-\d\d ", "d"), (r"\d{4}-", "Td"), (r"\d", "0"))


def begins(pattern: str) -> str:
    """The classes (of `_CLASSES`) that a match of `pattern` can begin with, all of them when that is not plain."""
    plain = re.sub(r"^(?:\(\?(?:P<\w+>|:))*", "", pattern)
    if plain.startswith("\\[?"):
        return "[" + begins(plain[3:])
    for start, first in (("\\(", "("), ("\\[", "["), *_DATES):
        if plain.startswith(start):
            return first
    members = re.match(r"\[([\w-]+)\](?!\?|\*|\{0)", plain)
    if members is None:
        return _class(plain, 0) if plain[:1] in "<#" or plain[:1].isalnum() else _CLASSES
    digits = "d0" if any(char.isdigit() for char in members[1]) else ""
    return digits + "".join(
        name for name, alike in (("A", str.isupper), ("a", str.islower)) if any(map(alike, members[1]))
    )


def _class(text: str, at: int) -> str:
    char = text[at]
    if char in "([":
        return char
    if char.isdigit():
        if text[at + 4 : at + 5] != "-":
            return "0"
        return "T" if text[at + 10 : at + 11] == "T" else "d"
    return "A" if "A" <= char <= "Z" else "a" if "a" <= char <= "z" else "*"


#: Most shapes need one of these, and most lines that begin with a word hold none.
_MARK = late(r"[\d|\t]")
_MARKED_CLASSES = "Td0"
_DATED = "Td"


def needs_mark(pattern: str) -> bool:
    """Whether every match of `pattern` is seen to hold a digit, a bar or a TAB."""
    return holds_digit(pattern) or any(part in (r"\|", r"\t") for part in parts(pattern))


#: What stands right behind the seconds of a date and time where a shape asks for it, and where that is in a text.
_BEHIND_SECONDS = late(
    r"(?:\(\?P<\w+>|\(\?:)*\\d\{4\}-\\d\\d-\\d\\d(?:T| |\[ T\])\\d\\d:\\d\\d:\\d\\d(?P<point>,|\\\.)(?![?*{])"
)
_SECONDS_END = len("2026-11-30 12:34:56")
_POINTS = (",", ".")


def point(pattern: str) -> str:
    """The point of a decimal fraction that `pattern` needs behind a date and time, "" when it needs none."""
    found = _BEHIND_SECONDS.match(pattern)
    return found["point"][-1] if found else ""


def kind_of(line: str, at: int) -> tuple[str, bool, str]:
    """What tells which shapes can match `line` from `at` on: how it begins, whether it holds a mark, and its point."""
    first = _class(line, at)
    behind = line[at + _SECONDS_END : at + _SECONDS_END + 1] if first in _DATED else ""
    marked = first in _MARKED_CLASSES or _MARK.search(line, at) is not None
    return first, marked, behind if behind in _POINTS else ""


def may_match(pattern: str, first: str, marked: bool, behind: str) -> bool:
    """Whether `pattern` is to be tried on texts of this kind."""
    if first not in begins(pattern) or (not marked and needs_mark(pattern)):
        return False
    return first not in _DATED or point(pattern) in ("", behind)


@cache
def _shapes(first: str, marked: bool, behind: str) -> _Shapes:
    """The shapes for texts of this kind, compiled when the first such is met."""
    one_of: list[str] = []
    tops: dict[int, _Shape] = {}
    at = 1
    for _, name, kind, pattern in _table():
        if not may_match(pattern, first, marked, behind):
            continue
        names = _NAMED.findall(pattern)
        # Names must be unique in one expression, so they become numbers; the table may hold no other groups.
        one_of.append(f"({_NAMED.sub('(', pattern)})")
        tops[at] = _Shape(name, kind, tuple((n, at + 1 + i) for i, n in enumerate(names)))
        at += 1 + len(names)
    try:
        return _Shapes(re.compile("|".join(one_of) or r"(?!)"), tops)
    except re.error:
        choice(TABLE, [(number, _NAMED.sub("(?:", pattern)) for number, _, _, pattern in _table()])
        raise


_STARTS = frozenset("<([#@0123456789DIWECF") | frozenset("ABCGHJKLMNOPQRSTUVXYZabcdefghijklmnopqrstuvwxyz")


def peel(line: str) -> Peeled:
    """`line` (cleaned of colours and line ends) without its prefixes."""
    if not line or (line[0] not in _STARTS and not line.startswith("    [")):
        return Peeled(line, "", "", "", "", False)
    at, key, process, level, time, record, labelled = 0, "", "", "", "", False, False
    for _ in range(_DEPTH):
        if at >= len(line):
            break
        shapes = _shapes(*kind_of(line, at))
        match = shapes.expression.match(line, at)
        if match is None or match.end() == at:
            break
        # lastindex is the last *closed* group: the shape's own, as it closes after the groups inside it.
        shape = shapes.tops[match.lastindex or 1]
        found = {name: match.group(index) for name, index in shape.groups if match.group(index)}
        if shape.kind != "record":
            labelled = labelled or shape.kind == "line"
            key += f"{found.get('process', '').strip()}|{found.get('pid', '')};"
        else:
            record = True
        process = found.get("process", process).strip()
        if "level" in found:
            level = _LEVELS.get(found["level"], found["level"].lower())
        time = found.get("time", time)
        at = match.end()
        if level == "info" and shape.kind == "record":
            break  # most lines of most logs; what else stands in front of their text tells nothing
    return Peeled(line[at:], key, process, level, time, record, labelled)
