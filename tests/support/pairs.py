"""The pairs of real outputs that must or must not get one signature: plain files that a person can read and extend.

A file begins with comment lines (`# …`). A line `§ title` begins a group of outputs, a line `§§` stands between two
outputs of it. In a `merge` file all outputs of a group show the same failure, in an `apart` file no two of them do. `␛`
stands for the escape character and `␍` for a carriage return.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "signature" / "pairs"
KNOWN_WRONG = FOLDER / "known-wrong.txt"


class Group(NamedTuple):
    """Outputs that must all meet (`kind` merge) or all stay apart (`kind` apart)."""

    kind: str
    topic: str
    title: str
    texts: tuple[str, ...]

    @property
    def name(self) -> str:
        """How lists name it."""
        return f"{self.kind}/{self.topic}: {self.title}"

    @property
    def pairs(self) -> int:
        """Its pairs, counted without those that follow from the others when all meet: one fewer than its outputs."""
        return len(self.texts) - 1


def groups(folder: Path = FOLDER) -> list[Group]:
    """All groups, in the order of their files."""
    return [
        group for kind in ("merge", "apart") for path in sorted((folder / kind).glob("*.txt")) for group in _read(path)
    ]


def _read(path: Path) -> Iterator[Group]:
    title, texts = "", [[""]]
    lines = [line for line in path.read_text("utf-8").split("\n") if not line.startswith("# ")]
    for line in [*lines, "§ "]:
        if line.startswith("§ "):
            if title:
                yield Group(path.parent.name, path.stem, title, tuple(map(_text, texts)))
            title, texts = line.removeprefix("§ "), [[]]
        elif line == "§§":
            texts.append([])
        else:
            texts[-1].append(line)


def _text(lines: list[str]) -> str:
    return "\n".join(lines).strip("\n").replace("␛", "\x1b").replace("␍", "\r") + "\n"


def known_wrong() -> dict[str, str]:
    """The groups that are wrong today, by name, with the reason why."""
    entries = (line.split("\t") for line in KNOWN_WRONG.read_text("utf-8").splitlines() if line and line[0] != "#")
    return dict(entries)
