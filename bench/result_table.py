"""A table of results: what was measured of kb beside the figures of others, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """A row: who was measured, and a cell for every column ("" where nothing was measured)."""

    who: str
    cells: tuple[str, ...]


class Table(NamedTuple):
    """The results on one data set. `ours` was measured in this run; `given` are stated figures, not measured again."""

    name: str
    size: str
    protocol: str
    columns: tuple[str, ...]
    ours: tuple[Row, ...]
    given: tuple[Row, ...] = ()


def share(part: int, whole: int) -> str:
    """`part` of `whole` as a fraction of three digits with the counts, as `.650 (13/20)`."""
    return f"{digits(part / whole if whole else 0.0)} ({part}/{whole})"


def digits(value: float) -> str:
    """A number from 0 to 1 in three digits, as `.650` or `1.000`."""
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.3f}"


def markdown(table: Table) -> Iterator[str]:
    """The lines of `table`: heading, size, protocol, rows."""
    yield f"#### {table.name}"
    yield ""
    yield f"{table.size} {table.protocol}"
    yield ""
    yield _line(("", *table.columns))
    yield _line(("---", *("---" for _ in table.columns)))
    for row in table.ours:
        yield _line((f"**{row.who}**", *row.cells))
    for row in table.given:
        yield _line((row.who, *row.cells))
    yield ""


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
