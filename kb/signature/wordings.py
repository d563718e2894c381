"""One failure in the words of several versions: where advice begins, which older words say the same as newer ones."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kb.errors import Location, TableError
from kb.failures.tables import Choice, needles, rows

HINTS = Path(__file__).with_name("hints.txt")
WORDINGS = Path(__file__).with_name("wordings.txt")


class _Wording(NamedTuple):
    """A line of the table; a text with none of the `words` (if there are any) holds nothing for it."""

    name: str
    what: str
    pattern: str
    replacement: str
    number: int
    words: tuple[str, ...]


class Said(NamedTuple):
    """A type and a template, and the names of the lines of the table that reworded them."""

    type: str
    template: str
    names: tuple[str, ...]


@cache
def _hints() -> Choice:
    return Choice(HINTS, [(number, pattern) for number, (_, pattern) in rows(HINTS, 2)])


@cache
def _wordings() -> tuple[_Wording, ...]:
    found: list[_Wording] = []
    for number, (name, what, pattern, replacement) in rows(WORDINGS, 4):
        if what not in ("type", "text"):
            raise TableError(f"unknown {what!r}", location=Location(str(WORDINGS), number), hint="type or text")
        found.append(_Wording(name, what, pattern, replacement, number, needles(pattern)))
    return tuple(found)


def check() -> None:
    """Compile every line; the first that cannot be used is an error with its line."""
    for one in _wordings():
        compiled = _compiled(one)
        with _blamed(one):
            re.compile(f"(?:{compiled.pattern})|").sub(one.replacement, "")  # finds a group that is not there


@cache
def _compiled(one: _Wording) -> re.Pattern[str]:
    with _blamed(one):
        return re.compile(one.pattern, re.ASCII)


@contextmanager
def _blamed(one: _Wording) -> Iterator[None]:
    """An error inside is one of this line of the table."""
    try:
        yield
    except (re.error, IndexError) as error:
        place = Location(str(WORDINGS), one.number)
        raise TableError(f"not a regular expression with its replacement: {error}", location=place) from error


def without_hint(line: str) -> str:
    """`line` up to where the advice of its writer begins."""
    while (at := _hints().place(line)) is not None:
        line = line[:at].rstrip()
    return line


def reworded(type_: str, template: str) -> Said:
    """The type and template in the newest words for the same: each line of the table acts at most once, in order."""
    names: list[str] = []
    for one in _wordings():
        text = template if one.what == "text" else f"{type_}: {template}"
        if one.words and not any(words in text for words in one.words):
            continue
        match = _compiled(one).fullmatch(text)
        if match is None:
            continue
        with _blamed(one):
            new = match.expand(one.replacement)
        if new != (template if one.what == "text" else type_):
            names.append(one.name)
        if one.what == "text":
            template = new
        else:
            type_ = new
    return Said(type_, template, tuple(names))
