"""Log excerpts as HTML: every line numbered, the decisive ones marked, a light colouring by one pass of patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import NamedTuple

from markupsafe import Markup

from kb.runbook.phrases import count
from kb.runbook.visible import escape_text, peel, visible
from kb.signature.model import Segment

#: How many characters of one line a page shows; the record holds the rest.
LONGEST_LINE = 2_000

#: An excerpt of more lines than this can be larger than its place. A line of it takes the focus then, so that it can be
#: scrolled by keyboard; the theme keeps the element around it for itself.
SCROLLS = 5
_FOCUS = ' tabindex="0"'
_END = "</span>"

_LEFT_OUT = re.compile(r"\[\.\.\. (\d{1,9}) lines left out \.\.\.\]")


class Mark(NamedTuple):
    """Why a line is marked: `kind` is "root" (decisive) or "symptom"; `segments` stress what decided."""

    kind: str
    segments: tuple[Segment, ...] = ()


class Excerpt(NamedTuple):
    """Lines of a log for a page.

    `numbers` are their line numbers in the source (empty when unknown, 0 for a line that stands for several), `marks`
    are by position; `before` and `after` say how many lines of the evidence are not shown.
    """

    lines: tuple[str, ...]
    numbers: tuple[int, ...] = ()
    marks: Mapping[int, Mark] = MappingProxyType({})
    before: int = 0
    after: int = 0


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of an excerpt, without colours and line ends; a final line feed makes no extra line."""
    lines = peel(text).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return tuple([line.rstrip("\r") for line in lines] if "\r" in text else lines)


def numbers_of(lines: Sequence[str], place: int, number: int) -> tuple[int, ...]:
    """The line number of each line when the one at `place` has `number`; a line that says how many lines were left
    out has 0 and moves the numbers beyond it by that many. Empty when `number` is not positive."""
    if number <= 0:
        return ()
    out = [0] * len(lines)
    for order, step in ((range(place, len(lines)), 1), (range(place - 1, -1, -1), -1)):
        at = number if step > 0 else number - 1
        for position in order:
            gap = _LEFT_OUT.fullmatch(lines[position])
            out[position] = 0 if gap else max(at, 0)
            at += step * (int(gap[1]) if gap else 1)
    return tuple(out)


def around(excerpt: Excerpt, middle: int, before: int, after: int) -> Excerpt:
    """The part of an excerpt around one line, with the number of lines left out on either side."""
    start = max(0, middle - before)
    end = min(len(excerpt.lines), middle + after + 1)
    return Excerpt(
        lines=excerpt.lines[start:end],
        numbers=excerpt.numbers[start:end],
        marks={at - start: mark for at, mark in excerpt.marks.items() if start <= at < end},
        before=start,
        after=len(excerpt.lines) - end,
    )


def shortened(excerpt: Excerpt, most: int) -> Excerpt:
    """An excerpt of at most about `most` lines: its beginning and end, what stands around its marks, and a line for
    each gap that says how much is left out there."""
    total = len(excerpt.lines)
    if total <= most:
        return excerpt
    head, tail = min(4, most // 3), min(6, most // 2)
    kept = {*range(head), *range(total - tail, total)}
    for reach in range(most):
        more = {place for mark in excerpt.marks for place in (mark - reach, mark + reach) if 0 <= place < total}
        if len(kept | more) > most or (reach and not excerpt.marks):
            break
        kept |= more
    if not excerpt.marks:
        kept |= set(range(most - len(kept)))
    lines: list[str] = []
    numbers: list[int] = []
    marks: dict[int, Mark] = {}
    before = -1
    for place in sorted(kept):
        if place > before + 1:
            out = place - before - 1
            lines.append(f"[… {count(out, 'line')} left out here; the record has {'it' if out == 1 else 'them'}]")
            numbers.append(0)
        if place in excerpt.marks:
            marks[len(lines)] = excerpt.marks[place]
        lines.append(excerpt.lines[place])
        numbers.append(excerpt.numbers[place] if excerpt.numbers else 0)
        before = place
    return Excerpt(tuple(lines), tuple(numbers) if excerpt.numbers else (), marks, excerpt.before, excerpt.after)


def excerpt_html(excerpt: Excerpt) -> Markup:
    """The excerpt as the inside of a `<code>` element: a span for each line that is marked or numbered, and one for
    each run of lines between them, which look no different."""
    focus = min(excerpt.marks, default=0) if len(excerpt.lines) > SCROLLS else -1
    shown = _coloured_lines(excerpt.lines)
    # A span begins where a line stands for itself, after one that does, and where the focus is.
    marks, single = excerpt.marks, range(len(shown)) if excerpt.numbers else excerpt.marks
    begins = {0, focus, *single, *(position + 1 for position in single)}
    starts = sorted(position for position in begins if 0 <= position < len(shown))
    out: list[str] = []
    for start, stop in zip(starts, [*starts[1:], len(shown)], strict=False):
        mark = marks.get(start)
        if mark and mark.segments:
            shown[start] = _stressed(cut_line(visible(excerpt.lines[start])), mark.segments)
        kind = f" kb-l-{mark.kind}" if mark else ""
        number = excerpt.numbers[start] if excerpt.numbers else 0
        said = f' data-n="{number}"' if number else ""
        taken = _FOCUS if start == focus else ""
        inner = "\n".join(shown[start:stop])
        out.append(f'<span class="kb-l{kind}"{said}{taken}>{inner}\n{_END}')
    return Markup("".join(out))  # noqa: S704 - every line was escaped


def code_html(body: str, language: str) -> Markup:
    """A code block as the inside of a `<code>` element; the lines of a diff say what they add and remove."""
    lines = lines_of(body)
    focus = _FOCUS if len(lines) > SCROLLS else ""
    if language not in ("diff", "patch"):
        text = escape_text(visible(peel(body)))
        return Markup(f"<span{focus}>{text}</span>" if focus else text)  # noqa: S704 - escaped above
    out: list[str] = []
    before: str | None = None
    for line in lines:
        kind = ""
        if line.startswith(("+", "-")) and not line.startswith(("+++", "---")):
            kind = " kb-l-added" if line[0] == "+" else " kb-l-removed"
        if kind != before:
            out.append(f'{_END if out else ""}<span class="kb-l{kind}"{"" if out else focus}>')
            before = kind
        out.append(f"{escape_text(visible(line))}\n")
    return Markup("".join([*out, _END] if out else ()))  # noqa: S704 - every line was escaped


def cut_line(line: str, most: int = LONGEST_LINE) -> str:
    """The first `most` characters of a line, and how many more it has."""
    return line if len(line) <= most else f"{line[:most]} … ({len(line) - most:,} more characters)"


#: In a line without any of these nothing is coloured; looking for them takes a tenth of the time.
_CLUE = re.compile(
    r"&#3[49];|Error|Exception|Interrupt|Exit|Timeout|FATAL|ERROR|panic|\.(?:py|c|cc|cpp|cu|h|go|rs|js|ts|java):\d"
)


@cache
def _token() -> re.Pattern[str]:
    return re.compile(
        r"(?P<place>File &#34;[^&\n]{1,300}&#34;, line \d+|\b[\w./-]{1,120}\.(?:py|c|cc|cpp|cu|h|go|rs|js|ts|java):\d+)"
        r"|(?P<error>\b[A-Za-z_][\w.]{0,120}(?:Error|Exception|Interrupt|Exit|Timeout)\b|\b(?:FATAL|ERROR|panic)\b)"
        r"|(?P<text>&#39;[^&\n]{1,80}&#39;)"
    )


def _coloured_lines(lines: Sequence[str]) -> list[str]:
    """The lines, escaped and coloured, all in one pass: nothing that is coloured goes beyond its line."""
    if not lines or any(len(line) > LONGEST_LINE or "\n" in line for line in lines):
        return [_coloured(cut_line(visible(line))) for line in lines]
    return _coloured(visible("\n".join(lines))).split("\n")


def _coloured(text: str) -> str:
    escaped = escape_text(text)
    out: list[str] = []
    end = 0
    while clue := _CLUE.search(escaped, end):
        start = max(end, escaped.rfind("\n", end, clue.start()) + 1)
        stop = escaped.find("\n", clue.end())
        stop = stop if stop >= 0 else len(escaped)
        out += (escaped[end:start], _coloured_line(escaped[start:stop]))
        end = stop
    return "".join((*out, escaped[end:]))


@lru_cache(1 << 14)
def _coloured_line(escaped: str) -> str:
    """One line with a clue: the same ones stand on the pages of a session, of its signatures and of many others."""
    return _token().sub(_in_colour, escaped)


def _in_colour(match: re.Match[str]) -> str:
    return f'<span class="kb-t-{match.lastgroup}">{match[0]}</span>'


def _stressed(line: str, segments: Sequence[Segment]) -> str:
    """The line with the signature's literals stressed, found in order."""
    out: list[str] = []
    position = 0
    for segment in segments:
        literal = segment.text.strip()
        found = -1 if segment.gap or len(literal) < 2 else line.find(literal, position)
        if found < 0:
            continue
        out.append(f"{escape_text(line[position:found])}<mark>{escape_text(literal)}</mark>")
        position = found + len(literal)
    return "".join(out) + escape_text(line[position:])
