"""The one error family of kb: every error says where it was found and what to do about it.

A stage raises its own subclass; `kb.cli` is the only place that catches and prints them.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Location(NamedTuple):
    """A place in a file: its path as the user knows it, and a 1-based line (0 when the whole file is meant)."""

    path: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


class Problem(NamedTuple):
    """One thing wrong with an input.

    `code` is a stable word for programs, `message` says what is wrong, `hint` what would be right (may be empty).
    """

    location: Location
    code: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class KbError(Exception):
    """The base of all errors that kb raises on purpose.

    `exit_code` is what the command line exits with: 64 for wrong usage, 65 for wrong input data, 66 for input that
    cannot be read, 70 for a fault in kb, 74 for an index or an output that cannot be opened or written (the
    numbers of sysexits).
    """

    exit_code = 70

    def __init__(self, message: str, *, location: Location | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        return f"{where}{self.message}" + (f" ({self.hint})" if self.hint else "")


class UsageError(KbError):
    """The call itself is wrong: an unknown option value, a missing knowledge base."""

    exit_code = 64


class InputError(KbError):
    """A file that was named cannot be read."""

    exit_code = 66


class RecordError(KbError):
    """A session record is not well-formed; carries every problem of the file at once."""

    exit_code = 65

    def __init__(self, problems: Sequence[Problem]) -> None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(first.message + more, location=first.location, hint=first.hint)
        self.problems = tuple(problems)


class TableError(KbError):
    """A data table that ships with kb, or that a user changed, has a line that cannot be used."""

    exit_code = 65


class StoreError(KbError):
    """The index cannot be built, opened or written."""

    exit_code = 74


class WriteError(KbError):
    """What was asked for cannot be written where it should go."""

    exit_code = 74


class SiteError(KbError):
    """The runbook site cannot be built."""

    exit_code = 70
