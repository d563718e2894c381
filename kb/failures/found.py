"""What a reader hands over: a failure whose links still point to other finds, not to positions in the answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from kb.failures.model import Frame, Relation
from kb.failures.streams import Line


@dataclass(slots=True)
class Find:
    """One failure as a reader sees it, before roles.

    `at` is the line with type and message, `first` and `last` the span of the whole report. `weight` orders what may
    begin a failure: 0 a whole report, 1 a line that names an exception, 2 a mere error line. `inner` are the finds that
    this one was raised from, wraps or quotes.
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
    inner: list[tuple[Relation, Find]] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)
