"""The tables of roles and of noise, loaded once and tried as one expression each."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import cast

from kb.errors import Location, TableError
from kb.failures.model import Role
from kb.failures.tables import Choice, rows

PHRASES = Path(__file__).with_name("phrases.txt")
NOISE = Path(__file__).with_name("noise.txt")
WENT_WELL = Path(__file__).with_name("went_well.txt")

_ROLES = ("cascade", "wrapper", "teardown")


@cache
def _phrases() -> tuple[Choice, tuple[tuple[Role, str], ...]]:
    entries: list[tuple[int, str]] = []
    meanings: list[tuple[Role, str]] = []
    for number, (role, pattern, why) in rows(PHRASES, 3):
        if role not in _ROLES:
            raise TableError(
                f"unknown role {role!r}", location=Location(str(PHRASES), number), hint="one of " + ", ".join(_ROLES)
            )
        entries.append((number, pattern))
        meanings.append((cast(Role, role), why))
    return Choice(PHRASES, entries, re.MULTILINE), tuple(meanings)


@cache
def _noise() -> Choice:
    return Choice(NOISE, [(number, cells[0]) for number, cells in rows(NOISE, 1)])


@cache
def _went_well() -> Choice:
    return Choice(WENT_WELL, [(number, f"^(?:{cells[0]})") for number, cells in rows(WENT_WELL, 1)])


def went_well(text: str) -> bool:
    """Whether `text` is what a tool prints of what goes well."""
    return _went_well().search(text) is not None


def role_of(text: str) -> tuple[Role, str] | None:
    """The role that the wording of `text` ("type: message", its first lines) gives away, and why; or None."""
    choice, meanings = _phrases()
    index = choice.search(text)
    return meanings[index] if index is not None else None


def is_noise(text: str) -> bool:
    """Whether `text` is a line that only looks like an error."""
    return _noise().search(text) is not None
