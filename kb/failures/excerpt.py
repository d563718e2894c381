"""The lines of a log that a person needs to see of a failure."""

from collections.abc import Collection, Container, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from kb.expressions import late
from kb.failures.below import below
from kb.failures.beside import raised_as, with_list
from kb.failures.lines import clean
from kb.failures.model import Failure
from kb.failures.phrases import is_noise, went_well
from kb.failures.prefixes import Peeled, peel

#: An excerpt has at most this many lines, counting those that say how much was left out.
MOST_LINES = 40
_BEFORE = 3
#: Reports that say all themselves: what a checker, a compiler or a test runner tells needs nothing before it.
_WHOLE = frozenset({"lint", "test", "test-case", "build"})
_LOOKED_BACK = 40
_LONGEST_LINE = 4000
_LONGEST_NOISE = 2000
#: Of the stack of an outer exception so many frames are shown.
_OWN_ABOVE = 2
#: What begins a frame of a stack in most languages, or marks the failing line in one that shows source.
_FRAME = late(
    r"\s*(?:[|│ ]*)(?:File \"|at |from |#\d+ |\d+: |\[<?[0-9a-f]|in |❱ ?\d|\S+:\d+ in "
    r"|\S[^()]{0,200}\([\w.:@]{1,200}\+0x)"
)
#: Marks under a source line: they say nothing that a long report needs.
_MARKS = late(r"\s*[\^~]+\s*$")
#: What a CI service prints where a step begins: what stands above it is of others.
_STEP = late(
    r"travis_(?:time|fold):start:|##\[(?:end)?group\]|section_(?:start|end):|\[Pipeline\] |#!/bin/(?:ba)?sh -e"
)
#: What progress bars hold.
_PROGRESS = ("%|", "it/s", "s/it", "B/s", "[Stage ", "━━━", " eta ", "█")


class Shown(NamedTuple):
    """A line of an excerpt: its raw 1-based number (0 for a line that says how many were left out) and its text."""

    number: int
    text: str


def excerpt(
    lines: Sequence[str],
    failure: Failure,
    *,
    own: Collection[str] = (),
    most: int = MOST_LINES,
    beside: Sequence[Failure] = (),
    context: int = _BEFORE,
) -> tuple[Shown, ...]:
    """The lines of `failure` among the raw `lines` of its log, at most `most`, `context` of them before its report.

    A few lines of the same process before it, without noise; then its own lines only, however many processes spoke in
    between. A long report is cut in the middle: the head, the frames that name one of the functions `own`, and the end
    stay. Raw numbers are kept. Of all failures of the log (`beside`), those that go on with its list of problems are
    shown too, and the lines that tell as what it was raised again.
    """
    numbers = with_list(_once(lines, failure, _own_lines(failure, len(lines))), failure, beside, most)
    if failure.kind == "error-line" and len(numbers) == 1 and failure.line == numbers[0]:
        numbers += below(lines, failure.line)
    again = _again(lines, raised_as(failure, beside), own, set(numbers))[: most // 4]
    first = min([numbers[0], *again])
    whole = failure.kind in _WHOLE and failure.role == "root"
    before = [] if whole else _before(lines, first, failure, context)
    kept = sorted({*_cut(lines, numbers, failure, own, most - len(before) - 2 * len(again)), *again})
    return tuple(_with_gaps(lines, before, kept, contiguous=not failure.spans))


def _again(lines: Sequence[str], outer: Sequence[Failure], own: Collection[str], shown: Container[int]) -> list[int]:
    """The lines that say as what a failure was raised again and, where a stack follows them, its first own frames."""
    heads = [one.line for one in outer]
    frames: list[int] = []
    for one in outer:
        below = range(one.line + 1, min(one.last_line, len(lines)) + 1)
        frames += islice((number for number in below if _is_own(_text(lines, number), own)), _OWN_ABOVE)
    return [number for number in (*heads, *frames) if number not in shown]


def _is_own(text: str, own: Collection[str]) -> bool:
    return _FRAME.match(text) is not None and ("❱" in text or any(name in text for name in own))


def _own_lines(failure: Failure, total: int) -> list[int]:
    first, last = failure.first_line, failure.last_line
    spans = failure.spans or ((first, last),)
    if first < last:
        # The report that a summary repeats belongs to the failure too, and is not shown twice; tries of one line are.
        spans = tuple(span for span in spans if first <= span[0] and span[1] <= last) or spans
    numbers = [n for first, last in spans for n in range(first, min(last, total) + 1)]
    return sorted({*numbers, failure.line})


def _once(lines: Sequence[str], failure: Failure, numbers: list[int]) -> list[int]:
    """`numbers` without the runs of lines behind the failure's own line that say but what stands before them.

    A single line is shown as often as it was tried.
    """
    if len(failure.spans) < 2:
        return numbers
    said = {
        _bare(lines, n)
        for first, last in failure.spans
        if first <= failure.line
        for n in range(first, min(last, len(lines)) + 1)
    }
    again: set[int] = set()
    for first, last in failure.spans:
        run = range(first, min(last, len(lines)) + 1)
        if first > failure.line and len(run) > 1 and said.issuperset(_bare(lines, n) for n in run):
            again.update(run)
    return [n for n in numbers if n not in again]


def _bare(lines: Sequence[str], number: int) -> str:
    return _text(lines, number).removeprefix("[ERROR]").strip()


def _before(lines: Sequence[str], first: int, failure: Failure, context: int) -> list[int]:
    """Up to `context` lines before the report that say something: of its own process, if that spoke at all."""
    same: list[int] = []
    unnamed: list[int] = []
    well = 0
    for number in range(first - 1, max(0, first - 1 - _LOOKED_BACK), -1):
        peeled = peel(clean(lines[number - 1][:_LONGEST_LINE]))
        if _STEP.match(peeled.text) or _STEP.match(lines[number - 1]):
            break
        if not _says_something(peeled) or (peeled.process and failure.process and peeled.process != failure.process):
            continue
        if went_well(peeled.text[:_LONGEST_NOISE]):
            well += 1  # it says how far things got, so that nothing above it is near
        else:
            (same if peeled.process or not failure.process else unnamed).append(number)
        if len(same) + well >= context or peeled.text.startswith("$ "):
            break  # a command is where what it printed begins
    return (same or unnamed)[:context][::-1]


def _says_something(peeled: Peeled) -> bool:
    text = peeled.text[:_LONGEST_NOISE]
    return bool(text.strip("=-*# \t")) and not any(word in text for word in _PROGRESS) and not is_noise(text)


def _cut(lines: Sequence[str], numbers: list[int], failure: Failure, own: Collection[str], most: int) -> list[int]:
    if len(numbers) <= most:
        return numbers
    numbers = [n for n in numbers if n == failure.line or not _MARKS.match(_text(lines, n))]
    if len(numbers) <= most:
        return numbers
    place = numbers.index(failure.line)
    head = numbers[: most // 5]
    # Some runtimes name the failure first and then its frames, others the frames first.
    tail = numbers[max(place - 4, 0) : place + 5] if place >= len(head) else numbers[place : place + 5]
    kept = {*head, *tail, numbers[-1]}
    after = dict(pairwise(numbers))
    for number in reversed(numbers):
        if len(kept) >= most - 3:
            break
        text = _text(lines, number)
        if _is_own(text, own):
            kept.add(number)
            source = after.get(number)
            if source is not None and len(kept) < most - 3:
                kept.add(source)
    return sorted(kept)


def _text(lines: Sequence[str], number: int) -> str:
    return peel(clean(lines[number - 1][:_LONGEST_LINE])).text


def _with_gaps(lines: Sequence[str], before: list[int], kept: list[int], *, contiguous: bool) -> list[Shown]:
    shown = [Shown(number, _bounded(lines[number - 1])) for number in before]
    last = 0
    for number in kept:
        if last and number > last + 1:
            shown.extend(_gap(lines, last, number, contiguous=contiguous))
        shown.append(Shown(number, _bounded(lines[number - 1])))
        last = number
    return shown


def _gap(lines: Sequence[str], last: int, number: int, *, contiguous: bool) -> list[Shown]:
    """What stands for the lines between two that are kept: nothing for marks alone, one line itself, else a count."""
    left = number - last - 1
    if left == 1 and contiguous:
        text = _text(lines, last + 1)
        return [] if _MARKS.match(text) else [Shown(last + 1, _bounded(lines[last]))]
    what = "lines left out" if contiguous else "lines of others or left out"
    return [Shown(0, f"[... {left} {what.replace('lines', 'line') if left == 1 else what} ...]")]


def _bounded(line: str) -> str:
    line = line.rstrip("\r")
    return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "[...]"
