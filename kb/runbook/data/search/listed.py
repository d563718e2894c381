"""The list of the search: how much there is, and which grams are so common that the page looks for others first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from kb.runbook.data.scripts import data_script, script_value

NAME = "search"
#: Grams are common that at least one in so many blocks holds, by how common they are: one in 2, one in 4, …
LEVELS = 4
_LONG = 3


@dataclass(frozen=True, slots=True)
class Listed:
    """`common` are the levels of the common grams, 0 for those that half of the blocks or more hold."""

    documents: int
    blocks: int
    shards: int
    postings: int
    common: Mapping[str, int]

    def script(self) -> str:
        """The file of the list."""
        levels: list[list[str]] = [[] for _ in range(LEVELS)]
        for gram in sorted(self.common):
            levels[self.common[gram]].append(gram)
        said = {
            "made": made_by(),
            "documents": self.documents,
            "blocks": self.blocks,
            "shards": self.shards,
            "postings": self.postings,
            "common": ["".join(level) for level in levels],
        }
        return data_script(NAME, said)


def read_listed(script: str | None) -> Listed | None:
    """The list in a file; None when there is none, or one that another version of this code made."""
    try:
        said: Any = script_value(script or "")
        if said["made"] != made_by():
            return None
        common = {
            grams[at : at + _LONG]: level
            for level, grams in enumerate(said["common"])
            for at in range(0, len(grams), _LONG)
        }
        return Listed(said["documents"], said["blocks"], said["shards"], said["postings"], common)
    except (ValueError, KeyError, TypeError):
        return None


def level(gram: str, count: int, blocks: int) -> int | None:
    """How common a gram is that `count` of the `blocks` hold; None when it is not."""
    if len(gram) != _LONG:
        return None
    return next((level for level in range(LEVELS) if count * 2 ** (level + 1) >= blocks), None)


@cache
def made_by() -> str:
    """A hash of the code that makes these files: what other code made is not built on."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
