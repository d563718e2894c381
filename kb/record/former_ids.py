"""Ids that signatures went by under earlier versions of the rules: plain files in the folder of decisions.

One file a version, `former-ids-kb1.txt`, one line an id: the old id, then the ids of now that its failures have, the
most frequent first. Lines are sorted, and lines with the same old id add to each other, so that a merge of two branches
may keep the lines of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from kb.atomic import write_text
from kb.errors import Location, Problem

_ID = r"kb[0-9]{1,4}-[a-z2-7]{10}"
_LINE = re.compile(rf"{_ID}(?: {_ID})+")
_NAME = "former-ids-{}.txt"
_HEAD = """\
# Ids that signatures went by before, and those that they go by now: written by `kb index --reindex`, never by hand.
# Keep this file, so that links and notes with old ids still lead to their signatures. In a conflict keep all lines.
"""


def read_former(folder: Path) -> tuple[dict[str, tuple[str, ...]], tuple[Problem, ...]]:
    """The ids of now by the old id, and what is wrong with the files; both empty when there is none."""
    found: dict[str, tuple[str, ...]] = {}
    problems: list[Problem] = []
    for path in former_files(folder):
        try:
            lines = path.read_bytes().decode("utf-8", "replace").splitlines()
        except OSError as error:
            problems.append(Problem(Location(path.name), "unreadable", f"cannot be read: {error.strerror}"))
            continue
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            if _LINE.fullmatch(line.strip()) is None:
                message = "this line is not an old id and the ids that it has become"
                hint = "remove it; marks of a conflict: keep the lines of both sides"
                problems.append(Problem(Location(path.name, number), "former-id", message, hint))
                continue
            old, *now = line.split()
            found[old] = tuple(dict.fromkeys((*found.get(old, ()), *now)))
    return found, tuple(problems)


def former_files(folder: Path) -> list[Path]:
    """The files of former ids, in the order of their names."""
    return sorted(folder.glob(_NAME.format("*")))


def write_former(folder: Path, found: Mapping[str, Iterable[str]]) -> tuple[Path, ...]:
    """Add what ids have become to the files of their versions, and say which files changed. Raises OSError."""
    known, _ = read_former(folder)
    merged = {**known, **{old: tuple(dict.fromkeys((*now, *known.get(old, ())))) for old, now in found.items()}}
    written: list[Path] = []
    for version in sorted({old.partition("-")[0] for old in found}):
        path = folder / _NAME.format(version)
        lines = [" ".join((old, *now)) for old, now in sorted(merged.items()) if old.startswith(f"{version}-")]
        text = _HEAD + "\n".join(lines) + "\n"
        if not path.is_file() or path.read_text("utf-8", "replace") != text:
            folder.mkdir(parents=True, exist_ok=True)
            write_text(path, text)
            written.append(path)
    return tuple(written)
