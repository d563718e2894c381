"""The failures that one piece of evidence holds, and which piece of an attempt names its root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kb.failures.find import find_failures
from kb.failures.model import Role
from kb.knowledge.excerpt import excerpt
from kb.knowledge.model import Occurrence
from kb.signature.frames import own_names
from kb.signature.sign import sign

_ORDER: dict[Role, int] = {"root": 0, "wrapper": 1, "cascade": 2, "teardown": 3}


@dataclass(slots=True)
class Evidence:
    """The occurrences in one console or log, and its own root among them.

    `console` is the place of the console that it is, or that stands before the log (-1: none does). `lines` are its
    lines without blanks at their ends.
    """

    log: bool
    console: int
    occurrences: list[Occurrence] = field(default_factory=list)
    root: Occurrence | None = None
    lines: frozenset[str] = frozenset()


def read_evidence(
    text: str, attempt: int, *, console: int, whole: str = "", source: str = "", first: int = 0
) -> Evidence:
    """The occurrences in `text`, of the attempt of this number; equal ones are kept once.

    `whole` is the body that excerpts are cut from when it is not `text` itself: a console's, with its commands. `first`
    is the line of its source that a log begins with; 0 marks a console.
    """
    lines = (whole or text).split("\n")
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    result = Evidence(log=first > 0, console=console, lines=frozenset(line.strip() for line in lines))
    found = find_failures(text)
    seen: set[tuple[str, Role]] = set()
    best: tuple[int, int] | None = None
    for index, failure in enumerate(found.failures):
        primary = index == found.primary
        if not failure.complete and not primary:
            continue  # a cut traceback beside whole ones names nothing that anyone could meet again
        signature = sign(failure)
        if (signature.id, failure.role) in seen and not primary:
            continue
        seen.add((signature.id, failure.role))
        beside = found.failures if primary else ()
        shown, decisive = excerpt(lines, failure, own_names(failure), beside)
        place = first + failure.line - 1 if first else 0
        one = Occurrence(signature, failure, attempt, failure.role, False, shown, decisive, source, place)
        result.occurrences.append(one)
        order = (0 if primary else 1, _ORDER[failure.role])
        if best is None or order < best:
            best, result.root = order, one
    return result


def judge(evidence: Sequence[Evidence]) -> Evidence | None:
    """The evidence whose root is the attempt's: the first with a real root, else a log with a symptom, else a console.

    A root gives way to that of evidence which shows the same line too and still names another, having seen more; its
    own role becomes that of a wrapper.
    """
    for found in evidence:
        if found.root is not None and found.root.role == "root" and any(_saw_more(other, found) for other in evidence):
            before, after = found.root, replace(found.root, role="wrapper")
            found.occurrences = [after if one is before else one for one in found.occurrences]
            found.root = after
    best: tuple[int, int] | None = None
    chosen = None
    for found in evidence:
        if found.root is None:
            continue
        order = (_ORDER[found.root.role], 0 if found.log or found.root.role == "root" else 1)
        if best is None or order < best:
            best, chosen = order, found
    return chosen


def _saw_more(other: Evidence, found: Evidence) -> bool:
    if other is found or other.root is None or found.root is None or other.root.role != "root":
        return False
    theirs, mine = other.root.failure, found.root.failure
    whole = bool(theirs.frames) and not mine.frames
    return mine.text.strip() in other.lines and (whole or theirs.text.strip() not in found.lines)
