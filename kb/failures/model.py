"""What the readers find in a log: failures, each with its own line, frames, process and role.

This module is on the path of `kb triage`, where start-up counts, and making a dataclass costs seven times what a named
tuple costs.
"""

from typing import Literal, NamedTuple

Role = Literal["root", "cascade", "wrapper", "teardown"]

#: How a failure came to be linked to another: the other caused it, was being handled, is the copy sent by another
#: process, is a member of its group, or is the report that this one quotes.
Relation = Literal["cause", "context", "remote", "member", "quotes"]


class Frame(NamedTuple):
    """One call site; frames of a failure run from the outermost to the one that failed.

    `file` is the path as printed, `line` the line in it (0 when not printed), `source` the source text if printed.
    """

    file: str
    function: str
    line: int = 0
    source: str = ""


class Link(NamedTuple):
    """A tie from a failure to another of the same log: `to` is its place among the failures."""

    relation: Relation
    to: int


class Failure(NamedTuple):
    """One failure found in a log.

    Lines are 1-based raw lines of the input: `line` holds type and message, `first_line` to `last_line` is the whole
    report, of which `spans` are its own lines when others stand between. `text` is that raw line (control characters
    as in the input; of a line of more than 4,000 characters only what shows the failure), `message` may span lines
    and is cut, with a mark, after 16,000 characters. `time` is seconds since an unstated epoch, comparable within one
    log, or None. `reader` names the reader that found it.
    """

    kind: str
    type: str
    message: str
    line: int
    first_line: int
    last_line: int
    text: str
    language: str | None = None
    process: str | None = None
    frames: tuple[Frame, ...] = ()
    notes: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    time: float | None = None
    reader: str = ""
    complete: bool = True
    role: Role = "root"
    because: tuple[str, ...] = ()
    caused_by: int | None = None
    spans: tuple[tuple[int, int], ...] = ()
