"""The problems of records and decisions: their codes, how a reader collects them, and their form for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kb.errors import Location, Problem

#: Every code that a problem of a record can carry, and what it stands for. A code never changes its meaning.
CODES: Mapping[str, str] = {
    "unreadable": "the file cannot be read",
    "too-large": "the file is larger than a record may be",
    "not-utf8": "the file is not UTF-8",
    "byte-order-mark": "the file begins with a byte order mark",
    "carriage-return": "a line ends with a carriage return",
    "nul": "the file holds a NUL character",
    "front-matter": "the front matter is missing, never closed, or not between lines of exactly ---",
    "yaml": "the front matter is not the simple YAML that a record uses",
    "duplicate-key": "a key stands twice in the front matter",
    "unknown-key": "the front matter has a key that is none of the record's",
    "missing-key": "the front matter lacks a key",
    "version": "the record is of a format that this kb does not read",
    "value": "a value is not of its type",
    "heading": "a heading is none of the record's",
    "setext-heading": "a heading is made by underlining",
    "attempt-heading": "the heading of an attempt has not the form of one",
    "attempt-number": "the attempts are not numbered 1, 2, 3, …",
    "reruns": "an attempt reruns one that does not come before it",
    "resolution": "something follows the resolution",
    "outside-attempt": "a step stands outside every attempt",
    "empty-step": "a step has nothing in it",
    "fence-unclosed": "a fence is opened and never closed",
    "fence": "a fence is none of the record's, yet looks like one",
    "html-unclosed": "an HTML block is opened and hides the rest of the file",
    "attribute-syntax": "an attribute list cannot be read",
    "duplicate-attribute": "an attribute stands twice",
    "unknown-attribute": "an attribute is none of its step's",
    "missing-attribute": "a step lacks an attribute",
    "escape": "an escaped body has a backslash that escapes nothing",
    "dates": "the session ends before it starts",
    "duplicate-id": "two records have the same id",
    "file-name": "the file is not named after the record's id",
    "decision": "a file of decisions decides nothing, or several things",
    "contradiction": "two decisions contradict each other",
    "round-trip": "the record cannot be written so that it reads back the same",
}


class Problems:
    """The problems of one file, collected while it is read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._found: list[Problem] = []

    def add(self, line: int, code: str, message: str, hint: str = "") -> None:
        """Note a problem at the 1-based `line` (0: the whole file)."""
        assert code in CODES, code
        self._found.append(Problem(Location(self.path, line), code, message, hint))

    def sorted(self) -> tuple[Problem, ...]:
        """All problems in the order of their lines."""
        return tuple(sorted(self._found, key=lambda problem: problem.location.line))


def problems_json(problems: Iterable[Problem]) -> list[dict[str, str | int]]:
    """The problems as JSON objects with `file`, `line` (0: the whole file), `code`, `message` and `hint`."""
    return [
        {"file": p.location.path, "line": p.location.line, "code": p.code, "message": p.message, "hint": p.hint}
        for p in problems
    ]
