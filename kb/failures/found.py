"""What a reader hands over: a failure whose links still point to other finds, not to positions in the answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from kb.failures.model import Frame, Relation
from kb.failures.streams import Line

Key = TypeVar("Key")

#: Why what fails in the hooks after a test stands aside: the test's own failure may have made it, and says more.
TIDYING = "it failed while it tidied up after a test"


@dataclass(slots=True, eq=False)
class Find:
    """One failure as a reader sees it, before roles.

    `at` is the line with type and message, `first` and `last` the span of the whole report. `weight` orders what may
    begin a failure: 0 a whole report, 1 a line that names an exception, 2 a mere error line, 3 the last
    words of a program that ended; -1 claims its lines before
    all others. `inner` are the finds that this one was raised from, wraps or quotes. `teardown` and `cascade` say why
    it is an after-effect, or followed from another failure, where the report itself tells. A `harmless` find only
    claims its lines: it says why what looks like an error there is none, and is no failure. One that stands
    `aside`, for the reason given, is the primary only where no other is. `mild` is the level under which a program
    logged the exception, below that of an error: it counts where nothing louder explains the log.
    """

    kind: str
    type: str
    message: str
    at: Line
    first: int
    last: int
    language: str | None = None
    frames: tuple[Frame, ...] = ()
    notes: tuple[str, ...] = ()
    process: str = ""
    reader: str = ""
    complete: bool = True
    weight: int = 0
    teardown: str = ""
    cascade: str = ""
    harmless: str = ""
    aside: str = ""
    mild: str = ""
    inner: list[tuple[Relation, "Find"]] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)


def spotted(
    reader: str,
    kind: str,
    name: str,
    message: str,
    at: Line,
    block: Sequence[Line],
    *,
    language: str | None = None,
    frames: tuple[Frame, ...] = (),
    notes: tuple[str, ...] = (),
    weight: int = 0,
) -> Find:
    """A find of type `name` that claims the lines of `block`, among them `at`, and runs from its first to its last."""
    return Find(
        kind=kind,
        type=name,
        message=message,
        at=at,
        first=block[0].number,
        last=block[-1].number,
        language=language,
        frames=frames,
        notes=notes,
        process=at.process,
        reader=reader,
        weight=weight,
        lines={line.number for line in block},
    )


def claimed(reader: str, kind: str, name: str, message: str, at: Line, block: Sequence[Line], why: str) -> Find:
    """A find that is no failure, and takes the lines of `block` before all other readers; `why` says what they are."""
    find = spotted(reader, kind, name, message, at, block, weight=-1)
    find.harmless = why
    return find


def first_said(seen: dict[Key, Find], key: Key, find: Find) -> bool:
    """Whether `find` is the first of its `key`; the lines of one that was said before go to the first."""
    before = seen.setdefault(key, find)
    if before is not find:
        before.lines |= find.lines
    return before is find
