"""What an importer is: a module that tells whether a file is its own, and reads it. Nothing in a file is ever run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from kb.rules.drafts import Draft, Imported, Left
from kb.rules.importers.translate import literal, translate
from kb.rules.portable import NotPortableError, render


class Importer(Protocol):
    """`NAME` is the format, `ABOUT` a line on whose it is."""

    NAME: str
    ABOUT: str

    def knows(self, path: str, text: str) -> bool:
        """Whether `text`, the content of `path`, is in this format."""

    def read(self, path: str, text: str) -> Imported:
        """Its rules. Raises InputError when it cannot be read at all."""


class Found(NamedTuple):
    """One rule as it stands in a file; `expression` is a regular expression unless `plain` says it is plain text."""

    name: str
    expression: str
    line: int = 0
    plain: bool = False
    whole: bool = False
    note: str = ""
    url: str = ""


def imported(format_: str, path: str, found: Iterable[Found | Left]) -> Imported:
    """The drafts of what an importer `found`, and what has no portable form with the reason."""
    drafts: list[Draft] = []
    left: list[Left] = []
    for one in found:
        if isinstance(one, Left):
            left.append(one)
            continue
        try:
            pieces = literal(one.expression) if one.plain else translate(one.expression, whole=one.whole)
        except NotPortableError as error:
            left.append(Left(one.name, one.line, str(error)))
            continue
        pattern = render(pieces)
        drafts.append(Draft(one.name, pattern, format_, path, one.line, one.expression, one.note, one.url))
    return Imported(tuple(drafts), tuple(left))


class Lines:
    """The lines on which names stand in a file whose rules are asked for in their order: the file is read once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def of(self, name: str) -> int:
        """The 1-based line on which `name` stands next; 0 when it does not stand after the ones asked for before."""
        at = self._text.find(name, self._at)
        if at < 0:
            return 0
        self._line += self._text.count("\n", self._at, at)
        self._at = at
        return self._line
