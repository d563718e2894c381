"""Commented data tables that people edit: masks, phrases, noise, prefixes.

One entry a line; `#` begins a comment line; columns are separated by one or more TAB characters. A line that cannot be
used is an error that names its file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kb.errors import Location, TableError
from kb.expressions import late


def rows(path: Path, columns: int) -> Iterator[tuple[int, list[str]]]:
    """The entries of the table at `path` as (line number, columns); every entry must have exactly `columns` columns."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell for cell in line.split("\t") if cell]
        if len(cells) != columns:
            raise TableError(
                f"this line has {len(cells)} columns, not {columns}",
                location=Location(str(path), number),
                hint="columns are separated by TAB characters",
            )
        yield number, cells


_TIMES = r"(?:(?:[?*+]|\{[^}]*\})\??)?"
_CLASS = r"\[\^?\]?(?:\\.|[^\]\\])*\]"
_PART = r"(?:\\.|" + _CLASS + r"|[^()\[\\]"
#: What is not plain text in an expression: escapes, classes, groups (three deep), repeats, dots and anchors.
_NOT_PLAIN = late(
    r"\\." + _TIMES + "|" + _CLASS + _TIMES +
    r"|\(" + _PART + r"|\(" + _PART + r"|\(" + _PART + r")*\))*\))*\)" + _TIMES + r"|.(?:[?*+]|\{[^}]*\})\??|[.^$]"
)  # fmt: skip
#: A part that is a digit, at least one.
_DIGIT = late(r"(?:\\d|\[\d-\d\])(?![?*]|\{0)")
#: A group that takes part in every match, and what is in it.
_GROUP = late(r"\((?:\?(?::|=|P<\w+>))?(?!\?)(.*)\)")
_SHORTEST_NEEDLE = 3
_SPECIAL = frozenset("\\[](){}.*+?^$|")
_GRAMMAR = frozenset("()|[]")


class Choice:
    """The expressions of a table, tried together; each is compiled when a text first holds the words it needs.

    Most of what a short run of kb costs is compiling expressions, and of a table most expressions never come near a
    text. So each alternative is filed under its needles, plain texts of which it needs one; one without any is always
    tried.
    """

    def __init__(self, path: Path, entries: Sequence[tuple[int, str]], flags: int = 0) -> None:
        self._path = path
        self._flags = flags
        self._alternatives = [
            (words, one, index, number)
            for index, (number, pattern) in enumerate(entries)
            for one in alternatives(pattern)
            for words in needles(one) or ("",)
        ]
        self._compiled: dict[str, re.Pattern[str]] = {}

    def search(self, text: str) -> int | None:
        """The index of the entry that matches first in `text`; of two at one place the earlier; or None."""
        found: tuple[int, int] | None = None
        for words, pattern, index, number in self._alternatives:
            if words in text and (found is None or found[0] > 0):
                match = self._compile(pattern, number).search(text)
                if match and (found is None or (match.start(), index) < found):
                    found = (match.start(), index)
        return found[1] if found else None

    def place(self, text: str) -> int | None:
        """Where in `text` the first match of an entry begins, or None."""
        places = (
            match.start()
            for words, pattern, _, number in self._alternatives
            if words in text and (match := self._compile(pattern, number).search(text)) is not None
        )
        return min(places, default=None)

    def fullmatch(self, text: str) -> bool:
        """Whether one entry matches the whole of `text`."""
        return any(
            words in text and self._compile(pattern, number).fullmatch(text)
            for words, pattern, _, number in self._alternatives
        )

    def check(self) -> None:
        """Compile every entry; the first that cannot be is an error with its line."""
        for _, pattern, _, number in self._alternatives:
            self._compile(pattern, number)

    def _compile(self, pattern: str, number: int) -> re.Pattern[str]:
        compiled = self._compiled.get(pattern)
        if compiled is None:
            compiled = self._compiled[pattern] = _compile(pattern, self._path, number, self._flags)
        return compiled


def alternatives(pattern: str) -> list[str]:
    """`pattern` split at its outermost bars."""
    if "|" not in pattern:
        return [pattern]
    found, start = [], 0
    plain = _NOT_PLAIN.sub(_blank, pattern)
    while (at := plain.find("|", start)) >= 0:
        found.append(pattern[start:at])
        start = at + 1
    return [*found, pattern[start:]]


def _blank(match: re.Match[str]) -> str:
    return "\0" * len(match[0])


def needle(pattern: str, shortest: int = _SHORTEST_NEEDLE) -> str:
    """The longest plain text that every match of `pattern` (without outer bars) holds; "" when it is too short."""
    if _SPECIAL.isdisjoint(pattern):
        return pattern if len(pattern) >= shortest else ""
    longest = max(_NOT_PLAIN.sub("\0", pattern).split("\0"), key=len)
    return longest if len(longest) >= shortest and not _GRAMMAR.intersection(longest) else ""


def needles(pattern: str) -> tuple[str, ...]:
    """Plain texts of which every match of `pattern` holds one; () when that is not sure."""
    found: dict[str, None] = {}
    for one in alternatives(pattern):
        plain = needle(one)
        groups = (part[3:-1] for part in parts(one) if part.startswith("(?:") and part.endswith(")"))
        held = (plain,) if plain else next(filter(None, map(needles, groups)), ())
        if not held:
            return ()
        found.update(dict.fromkeys(held))
    return tuple(found)


def parts(pattern: str) -> list[str]:
    """What of `pattern` is no plain text: groups, classes, escapes, dots and anchors, with what repeats them."""
    return _NOT_PLAIN.findall(pattern)


def holds_digit(pattern: str) -> bool:
    """Whether every match of `pattern` (without outer bars) is seen to hold a digit."""
    for part in parts(pattern):
        group = _GROUP.fullmatch(part)
        if _DIGIT.match(part) or (group and all(map(holds_digit, alternatives(group[1])))):
            return True
    return False


def _compile(pattern: str, path: Path, number: int, flags: int) -> re.Pattern[str]:
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise TableError(f"not a regular expression: {error}", location=Location(str(path), number)) from error


def choice(path: Path, entries: Sequence[tuple[int, str]], flags: int = 0) -> re.Pattern[str]:
    """One expression of all `entries` (line number, expression), each each a group, in their order.

    `match.lastindex` counts the entry that matched, from 1. Entries may hold no groups but (?:…). Single entries are
    compiled only to name a faulty one: compiling is most of what a short run of kb costs.
    """
    if not entries:
        return re.compile(r"(?!)")
    try:
        expression = re.compile("|".join(f"({pattern})" for _, pattern in entries), flags)
    except re.error:
        expression = None
    if expression is None or expression.groups != len(entries):
        _blame(path, entries)
    assert expression is not None
    return expression


def _blame(path: Path, entries: Sequence[tuple[int, str]]) -> None:
    """Raise the error that names the first entry which cannot stand in a choice."""
    for number, pattern in entries:
        if _compile(pattern, path, number, 0).groups:
            raise TableError("groups must be (?:…)", location=Location(str(path), number))
    raise TableError("these expressions cannot be joined", location=Location(str(path)))
