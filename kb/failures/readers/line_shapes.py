"""Grammar shared by readers of tools that tell a failure in one line: shapes of lines, tried in order."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.failures.found import Find, first_said
from kb.failures.streams import Line, Stream

_DIGITS = re.compile(r"\d+")
_LONGEST = 4_000
_AGAIN = "it was tried again"


@dataclass(frozen=True, slots=True)
class Shape:
    """A line: its `type` (or the group of that name), and an expression whose group `message` is told.

    At most one of `cascade`, `teardown` and `harmless` says why the line began nothing. `weight` as in `Find`; a shape
    that holds `more` also claims the lines right after it that match. Where the next line matches `again`, the same
    program says that it tries again, so that a later line tells how it went.
    """

    type: str
    expression: re.Pattern[str]
    weight: int = 1
    cascade: str = ""
    teardown: str = ""
    harmless: str = ""
    more: re.Pattern[str] | None = None
    again: re.Pattern[str] | None = None


def shape(name: str, pattern: str, weight: int = 1, *, more: str = "", again: str = "", **why: str) -> Shape:
    """A `Shape` from its expressions as text; `why` is one of cascade, teardown, harmless."""
    after = [re.compile(text) if text else None for text in (more, again)]
    return Shape(name, re.compile(pattern), weight, more=after[0], again=after[1], **why)


def read_shapes(
    reader: str,
    kind: str,
    lines: Stream,
    shapes: Sequence[Shape],
    *,
    quiet: frozenset[str] = frozenset({"info", "debug"}),
) -> Iterator[Find]:
    """One find per distinct message (numbers apart), which claims its repetitions; `quiet` levels are passed over."""
    seen: dict[tuple[str, str, str], Find] = {}
    for index, line in enumerate(lines):
        if line.level in quiet:
            continue
        find = spot(reader, kind, lines, index, shapes)
        if find is None:
            continue
        key = (find.type, line.process, find.harmless + _DIGITS.sub("", find.message.split("\n")[0]))
        if first_said(seen, key, find):
            yield find


def spot(reader: str, kind: str, lines: Stream, index: int, shapes: Sequence[Shape]) -> Find | None:
    """The find that the line at `index` gives by the first of `shapes` that matches it."""
    line: Line = lines[index]
    text = line.text[:_LONGEST].rstrip()
    for form in shapes:
        match = form.expression.match(text)
        if match is None:
            continue
        groups = match.groupdict()
        find = Find(
            kind=kind,
            type=groups.get("type") or form.type,
            message=(groups.get("message") or text).strip(),
            at=line,
            first=line.number,
            last=line.number,
            process=line.process,
            reader=reader,
            weight=form.weight,
            cascade=form.cascade,
            teardown=form.teardown,
            harmless=_AGAIN if _tried_again(lines, index + 1, form) else form.harmless,
            lines={line.number},
        )
        if form.more is not None:
            _claim(lines, index + 1, form.more, find)
        return find
    return None


def _tried_again(lines: Stream, index: int, form: Shape) -> bool:
    return form.again is not None and index < len(lines) and form.again.match(lines[index].text) is not None


def _claim(lines: Stream, index: int, more: re.Pattern[str], find: Find) -> None:
    extra: list[str] = []
    while index < len(lines) and len(extra) < 40 and more.match(lines[index].text):
        extra.append(lines[index].text.rstrip())
        find.lines.add(lines[index].number)
        find.last = lines[index].number
        index += 1
    if extra:
        find.message = "\n".join([find.message, *extra])
