"""Lines of logs in which nothing failed: a rule that matches one of them would cry wolf."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from kb.errors import InputError, Location
from kb.failures.lines import clean, decode

SHIPPED = Path(__file__).with_name("healthy.txt")
_LONGEST_LINE = 4_000


@cache
def shipped() -> tuple[str, ...]:
    """The lines that come with kb: those of healthy logs that hold words of failures."""
    lines = SHIPPED.read_text("utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def read(paths: Iterable[Path]) -> Iterator[str]:
    """The lines of the healthy logs in `paths` (files, or folders of files). Raises InputError for what is missing."""
    for path in paths:
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        for file in files:
            try:
                text = decode(file.read_bytes())
            except OSError as error:
                raise InputError(f"cannot be read: {error.strerror}", location=Location(str(file))) from error
            for line in text.splitlines():
                yield clean(line)[:_LONGEST_LINE]
