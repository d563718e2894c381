"""The tables of roles and of noise, loaded once and tried as one expression each."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import cast

from kb.errors import Location, TableError
from kb.failures.model import Role
from kb.failures.tables import choice, rows

PHRASES = Path(__file__).with_name("phrases.txt")
NOISE = Path(__file__).with_name("noise.txt")

_ROLES = ("cascade", "wrapper", "teardown")


@cache
def _phrases() -> tuple[re.Pattern[str], tuple[tuple[Role, str], ...]]:
    entries: list[tuple[int, str]] = []
    meanings: list[tuple[Role, str]] = []
    for number, (role, pattern, why) in rows(PHRASES, 3):
        if role not in _ROLES:
            raise TableError(
                f"unknown role {role!r}", location=Location(str(PHRASES), number), hint="one of " + ", ".join(_ROLES)
            )
        entries.append((number, pattern))
        meanings.append((cast(Role, role), why))
    return choice(PHRASES, entries, re.MULTILINE), tuple(meanings)


@cache
def _noise() -> re.Pattern[str]:
    return choice(NOISE, [(number, cells[0]) for number, cells in rows(NOISE, 1)])


def role_of(text: str) -> tuple[Role, str] | None:
    """The role that the wording of `text` ("type: message", its first lines) gives away, and why; or None."""
    expression, meanings = _phrases()
    match = expression.search(text)
    return meanings[(match.lastindex or 1) - 1] if match else None


def is_noise(text: str) -> bool:
    """Whether `text` is a line that only looks like an error."""
    return _noise().search(text) is not None
