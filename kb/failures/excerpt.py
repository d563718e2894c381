"""The lines of a log that a person needs to see of a failure."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from kb.expressions import late
from kb.failures.lines import clean
from kb.failures.model import Failure
from kb.failures.phrases import is_noise
from kb.failures.prefixes import peel

#: An excerpt has at most this many lines, counting those that say how much was left out.
MOST_LINES = 40
_BEFORE = 3
_LOOKED_BACK = 40
_LONGEST_LINE = 4000
_LONGEST_NOISE = 2000
#: What begins a frame of a stack in most languages.
_FRAME = late(r"\s*(?:[|│ ]*)(?:File \"|at |from |#\d+ |\d+: |\[<?[0-9a-f]|in )")


class Shown(NamedTuple):
    """A line of an excerpt: its raw 1-based number (0 for a line that says how many were left out) and its text."""

    number: int
    text: str


def excerpt(
    lines: Sequence[str], failure: Failure, *, own: Collection[str] = (), most: int = MOST_LINES
) -> tuple[Shown, ...]:
    """The lines of `failure` among the raw `lines` of its log, at most `most`.

    A few lines of the same process before it, without noise; then its own lines only, however many processes spoke in
    between. A long report is cut in the middle: the head, the frames that name one of the functions `own`, and the end
    stay. Raw numbers are kept.
    """
    numbers = _own_lines(failure, len(lines))
    before = _before(lines, numbers[0], failure)
    kept = _cut(lines, numbers, failure, own, most - len(before))
    return tuple(_with_gaps(lines, before, kept, contiguous=not failure.spans))


def _own_lines(failure: Failure, total: int) -> list[int]:
    spans = failure.spans or ((failure.first_line, failure.last_line),)
    numbers = [n for first, last in spans for n in range(first, min(last, total) + 1)]
    return sorted({*numbers, failure.line})


def _before(lines: Sequence[str], first: int, failure: Failure) -> list[int]:
    """Up to three lines before the report, of its own process, that say something."""
    found: list[int] = []
    for number in range(first - 1, max(0, first - 1 - _LOOKED_BACK), -1):
        peeled = peel(clean(lines[number - 1][:_LONGEST_LINE]))
        other = bool(peeled.process and failure.process and peeled.process != failure.process)
        if other or not peeled.text.strip() or is_noise(peeled.text[:_LONGEST_NOISE]):
            continue
        found.append(number)
        if len(found) == _BEFORE:
            break
    return found[::-1]


def _cut(lines: Sequence[str], numbers: list[int], failure: Failure, own: Collection[str], most: int) -> list[int]:
    if len(numbers) <= most:
        return numbers
    place = numbers.index(failure.line)
    head = numbers[: most // 5]
    # Some runtimes name the failure first and then its frames, others the frames first.
    tail = numbers[max(place - 4, 0) : place + 5] if place >= len(head) else numbers[place : place + 5]
    kept = {*head, *tail, numbers[-1]}
    for number in reversed(numbers):
        if len(kept) >= most - 3:
            break
        text = lines[number - 1][:_LONGEST_LINE]
        if _FRAME.match(peel(clean(text)).text) and any(name in text for name in own):
            kept.add(number)
            source = number + 1
            if source in numbers and len(kept) < most - 3:
                kept.add(source)
    return sorted(kept)


def _with_gaps(lines: Sequence[str], before: list[int], kept: list[int], *, contiguous: bool) -> list[Shown]:
    shown = [Shown(number, _bounded(lines[number - 1])) for number in before]
    last = 0
    for number in kept:
        if last and number > last + 1:
            what = "lines left out" if contiguous else "lines of others or left out"
            shown.append(Shown(0, f"[... {number - last - 1} {what} ...]"))
        shown.append(Shown(number, _bounded(lines[number - 1])))
        last = number
    return shown


def _bounded(line: str) -> str:
    line = line.rstrip("\r")
    return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "[...]"
