"""SQLite's own shell: the statement of a script that it stopped at."""

from __future__ import annotations

from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.readers.line_shapes import read_shapes, shape
from kb.failures.streams import Stream

NAME = "sqlite"
ABOUT = "sqlite3, the shell of SQLite: statements of a script that failed"
EXAMPLE = """\
insert into rates values('EUR', 1.07);
Runtime error near line 14: UNIQUE constraint failed: rates.code (19)
"""

_SHAPES = (
    shape("SQLite", r"(?:Runtime|Parse) error near line \d{1,9}: (?P<message>\S.*)$", 1, more=r" {2}|\s*[\^]--- "),
    # of releases before 3.37
    shape("SQLite", r"Error: near line \d{1,9}: (?P<message>\S.*)$", 1),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct message."""
    yield from read_shapes(NAME, "database", lines, _SHAPES)
