"""Commented data tables that people edit: masks, phrases, noise, prefixes.

One entry a line; `#` begins a comment line; columns are separated by one or more TAB characters. A line that cannot be
used is an error that names its file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from kb.errors import Location, TableError


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


def checked(pattern: str, path: Path, number: int) -> str:
    """`pattern` itself when it compiles; else an error at its place in the table."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise TableError(f"not a regular expression: {error}", location=Location(str(path), number)) from error
    return pattern


def alternation(patterns: list[str]) -> re.Pattern[str]:
    """One case-sensitive expression that matches where any of `patterns` does; never when there are none."""
    return re.compile("|".join(f"(?:{p})" for p in patterns) if patterns else r"(?!)")
