"""What an exporter is: a module with these names. It is pure: the same rules give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kb.rules.model import Exported, TriageRule


class Exporter(Protocol):
    """`NAME` is the target as users type it, `ABOUT` a line on what loads it, `LOAD` how, `PROVED` by what.

    `export` writes the files for `rules`, which come by id.
    """

    NAME: str
    ABOUT: str
    LOAD: str
    PROVED: str

    def export(self, rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
        """The files; `name` is what the knowledge base is called."""
