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
_TAIL = 8
#: How many lines of a report are kept, in turn, until its excerpt tells the same failure as the whole log.
_MOST = (MOST_LINES, 5 * MOST_LINES, 25 * MOST_LINES)
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
        total = len(lines)
        while total and not lines[total - 1].strip():
            total -= 1
        return Excerpt(_log(lines, range(max(1, total - _TAIL + 1), total + 1), source, sha256), None, 0)
    chosen = _chosen(found)
    primary = found.failures[found.primary]
    for most in _MOST:
        numbers = {one.number for failure in chosen for one in _shown(lines, failure, most) if one.number}
        log = _log(lines, sorted(numbers), source, sha256)
        if _tells(log.body, primary):
            break
    return Excerpt(log, primary, len(found.failures) - 1)


def _shown(lines: Sequence[str], failure: Failure, most: int) -> tuple[Shown, ...]:
    return excerpt(lines, failure, own=own_names(failure), most=most)


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
