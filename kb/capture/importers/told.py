"""What an importer tells: the events of a session in their order, and what could not be known or read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, TypeAlias


class Ran(NamedTuple):
    """A command that was run, and what it printed as a terminal shows it. `exit` is None when nothing says it."""

    command: str
    output: str = ""
    exit: int | None = None
    seconds: float | None = None
    cwd: str = ""
    started: datetime | None = None


class Saw(NamedTuple):
    """A log or a report that was read; `source` names it."""

    text: str
    source: str


class Changed(NamedTuple):
    """A change of files as a unified diff, whole (`diff --git` or `---`/`+++` lines and hunks).

    `name` is a slug where the source itself names the change, and `words` what it says of it; such a change is a fix
    even when no failure stands before it.
    """

    paths: tuple[str, ...]
    diff: str
    name: str = ""
    words: str = ""


class Said(NamedTuple):
    """What somebody wrote; a `cause` is what they took for the reason of the failure."""

    text: str
    cause: bool = False


class Begins(NamedTuple):
    """The source itself says that a new attempt begins here."""

    title: str


Event: TypeAlias = Ran | Saw | Changed | Said | Begins


@dataclass(frozen=True)
class Story:
    """All that a source tells. `lost` is what of it could not be read, `unknown` what it does not say.

    An empty `title` is made from the failure that was met.
    """

    events: tuple[Event, ...]
    title: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    introduction: str = ""
    closing: str = ""
    components: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    lost: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
