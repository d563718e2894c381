"""What a record keeps of a log: the lines that show its failures, with how many were left out between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import BinaryIO, NamedTuple

from kb.failures.excerpt import MOST_LINES, Shown, excerpt
from kb.failures.find import Found, find_failures
from kb.failures.large import find_in
from kb.failures.model import Failure
from kb.record.model import Log, Span
from kb.signature.frames import own_names
from kb.signature.sign import sign

#: Failures of one log that are kept, the primary among them; and lines of one without a failure.
_FAILURES = 6
_TAILS = (8, 40, 400)
#: A log of no more lines and characters than these is kept as it is.
_SHORT, _SHORT_TEXT = MOST_LINES, 8_000
#: How many lines of a report are kept, and how many around it and at the head of the log, in turn, until the excerpt
#: tells the same failure as the whole log: some are told by a line that stands far off.
_STEPS = ((MOST_LINES, 0), (MOST_LINES, 10), (5 * MOST_LINES, 40), (25 * MOST_LINES, 200))
_ROLES = ("root", "cascade", "wrapper", "teardown")
_LONGEST_LINE = 4000


class Excerpt(NamedTuple):
    """What is kept of a log, and what was found in it: `failure` is its primary, None when nothing failed."""

    log: Log
    failure: Failure | None
    others: int


def excerpt_of(data: bytes | BinaryIO, source: str, sha256: str | None = None) -> Excerpt:
    """The excerpt of the log `data`, named `source`: its failures as triage shows them, or its last lines.

    Never raises for the content of a log. A stream is read by neighbourhoods of what marks a failure.
    """
    found, lines = find_in(data)
    if found.primary is None:
        return Excerpt(_healthy(lines, source, sha256), None, 0)
    primary = found.failures[found.primary]
    if len(lines) <= _SHORT and sum(map(len, lines)) <= _SHORT_TEXT:
        return Excerpt(_log(lines, _all(lines), source, sha256), primary, len(found.failures) - 1)
    chosen = _chosen(found)
    logs = []
    for most, around in _STEPS:
        logs.append(_log(lines, sorted(_numbers(lines, found, chosen, most, around)), source, sha256))
        if _tells(logs[-1].body, primary):
            return Excerpt(logs[-1], primary, len(found.failures) - 1)
    return Excerpt(logs[0], primary, len(found.failures) - 1)


def _healthy(lines: Sequence[str], source: str, sha256: str | None) -> Log:
    """The last lines of a log without a failure: so many that they show none either, without what stood before."""
    shown = _all(lines)
    for most in _TAILS:
        log = _log(lines, shown[-most:], source, sha256)
        if find_failures(log.body).primary is None:
            return log
    return Log(body=f"[... {len(shown)} lines without a failure ...]\n", source=source, sha256=sha256)


def _numbers(lines: Sequence[str], found: Found, chosen: Sequence[Failure], most: int, around: int) -> set[int]:
    """The numbers of the lines that show the failures `chosen`, and of those around them.

    Of the primary also those that triage shows with it: as what it was raised again, and the rest of its list.
    """
    numbers = set(range(1, min(around, len(lines)) + 1))
    for failure in chosen:
        beside = found.failures if failure is chosen[0] else ()
        own = [one.number for one in _shown(lines, failure, most, beside) if one.number]
        near = (*range(own[0] - around, own[0]), *range(own[-1] + 1, own[-1] + around + 1)) if around else ()
        numbers.update(own, (number for number in near if 1 <= number <= len(lines)))
    return numbers


def _all(lines: Sequence[str]) -> range:
    """The numbers of all lines, but for empty ones at the end."""
    total = len(lines)
    while total and not lines[total - 1].strip():
        total -= 1
    return range(1, total + 1)


def _shown(lines: Sequence[str], failure: Failure, most: int, beside: Sequence[Failure]) -> tuple[Shown, ...]:
    return excerpt(lines, failure, own=own_names(failure), most=most, beside=beside)


def _chosen(found: Found) -> list[Failure]:
    """The primary, and of the others the first of each kind, roots before symptoms."""
    assert found.primary is not None
    primary = found.failures[found.primary]
    seen = {(primary.type, primary.message)}
    chosen = [primary]
    for failure in sorted(found.failures, key=lambda f: (_ROLES.index(f.role), f.line)):
        if (failure.type, failure.message) not in seen and len(chosen) < _FAILURES:
            seen.add((failure.type, failure.message))
            chosen.append(failure)
    return chosen


def _tells(body: str, primary: Failure) -> bool:
    found = find_failures(body)
    return found.primary is not None and sign(found.failures[found.primary]).id == sign(primary).id


def _log(lines: Sequence[str], numbers: Iterable[int], source: str, sha256: str | None) -> Log:
    kept: list[str] = []
    first = last = 0
    for number in numbers:
        if last and number > last + 1:
            kept.append(f"[... {number - last - 1} lines left out ...]")
        line = lines[number - 1].rstrip("\r")
        kept.append(line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "[...]")
        first, last = first or number, number
    span = Span(first=first, last=last) if first else None
    return Log(body="".join(f"{line}\n" for line in kept), source=source, lines=span, sha256=sha256)
