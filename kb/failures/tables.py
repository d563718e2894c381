"""Commented data tables that people edit: masks, phrases, noise, prefixes.

One entry a line; `#` begins a comment line; columns are separated by one or more TAB characters. A line that cannot be
used is an error that names its file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
        where = Location(str(path), number)
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise TableError(f"not a regular expression: {error}", location=where) from error
        if compiled.groups:
            raise TableError("groups must be (?:…)", location=where)
    raise TableError("these expressions cannot be joined", location=Location(str(path)))
