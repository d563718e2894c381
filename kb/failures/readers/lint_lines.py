"""Linters and style checks that tell each problem in a line: flake8, Pylint, RuboCop, Checkstyle, golint and many more.

A line with a file, a number and a text may be anything, so it counts in a step that failed only, or where a log is
mostly made of such lines.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.steps import failed_steps
from kb.failures.streams import Stream

NAME = "lint-lines"
ABOUT = "flake8, Pylint, RuboCop, Checkstyle, golint, detekt and others: problems with file and line"
EXAMPLE = """\
./ledger/store.py:6:33: E251 unexpected spaces around keyword / parameter equals
./ledger/store.py:8:20: E203 whitespace before ':'
./ledger/rows.py:1:1: F401 'os' imported but unused
"""

_LONGEST = 1_000
_BESIDE = 4
_MOST = 400
_UNNAMED = "lint"
_LEVEL = r"(?:\[?(?:ERROR|error|WARN|WARNING|warn|ant:checkstyle|checkstyle)\]?:? ){0,2}"
_FILE = r"(?P<file>(?:[A-Za-z]:)?[\\/]?(?:[\w.@+~-]{1,200}[\\/]){0,40}[\w.@+-]{0,150}\.[A-Za-z][\w+]{0,14})"
_LINE = re.compile(
    rf"\s{{0,8}}{_LEVEL}{_FILE}"
    r"(?::(?P<line>\d{1,7})(?P<column>[:.-]\d{1,7}(?:-\d{1,7})?)?:?\s{1,4}"
    r"|\[(?P<place>\d{1,7}, \d{1,7})\]: "
    r"|: line (?P<named>\d{1,7}), col \d{1,5}, )(?P<message>\S.*)$"
)
#: What compilers, interpreters and test tools tell with a place, and lines of a stack: others read them.
_OTHER = re.compile(
    r"(?:(?:fatal )?error|warning|note|remark|info|debug|notice|Warnung|Anmerkung|[Aa]ttention|avertissement"
    r"|aviso|avviso|nota|предупреждение|замечание|警告|附注|備考) ?[:：] |\w{0,60}(?:Warning|Error|Exception)\b"
    r"|\w+ = |in [`'<\w]|(?:PASSED|FAILED|SKIPPED|Skipped|OK|ok)\b|\(|from |.{0,200}━━━"
)
_RULES = (
    re.compile(r"(?:\[?[CWEFRI]\]?: ?)(?:\[Correctable\] )?(?P<rule>[A-Z]\w{1,60}/[A-Z]\w{1,80}(?:/\w{1,80})?): "),
    re.compile(r"\[?(?P<rule>[A-Z]{1,8}-?\d{2,6})\]?:? "),
    re.compile(r".{1,800}[(\[](?P<rule>[A-Za-z][\w./:-]{2,80})[)\]]$"),
)


class _Problem(NamedTuple):
    place: int
    rule: str
    message: str
    file: str
    line: int
    strong: bool


def read(lines: Stream) -> Iterator[Find]:
    """One find per rule of a step; the first holds the whole list."""
    told = [problem for place, line in enumerate(lines) if (problem := _problem(line.text, place)) is not None]
    if not told:
        return
    spans = [(step.start, step.end) for step in failed_steps(lines)]
    if not spans:
        said = sum(1 for line in lines if line.text.strip())
        told = [problem for problem in told if problem.rule != _UNNAMED]
        spans = [(0, len(lines))] if 2 * len(told) >= said else []
    places = [problem.place for problem in told]
    for start, end in spans:
        first = bisect_left(places, start)
        yield from _of_step(lines, told[first : min(bisect_left(places, end), first + _MOST)])


def _problem(text: str, place: int) -> _Problem | None:
    if len(text) > _LONGEST or (match := _LINE.match(text)) is None:
        return None
    message = match["message"]
    logged = match["file"].endswith("_test.go") and text.startswith("    ") and not match["column"]
    if logged or _OTHER.match(message):
        return None
    rule = next((found["rule"] for one in _RULES if (found := one.match(message))), "")
    number = match["line"] or match["named"] or (match["place"] or "").partition(",")[0]
    strong = bool(rule or match["column"] or match["place"] or match["named"])
    return _Problem(place, rule or _UNNAMED, message.strip(), match["file"], int(number), strong)


def _of_step(lines: Stream, inside: list[_Problem]) -> Iterator[Find]:
    """The finds of one list of problems: those that stand together, perhaps with the source that they show."""
    together: list[_Problem] = []
    for problem in inside:
        if together and problem.place - together[-1].place > _BESIDE:
            yield from _list(lines, together)
            together = []
        together.append(problem)
    if together:
        yield from _list(lines, together)


def _list(lines: Stream, together: list[_Problem]) -> Iterator[Find]:
    first, end = together[0], together[-1].place + 1
    while end < len(lines) and end - together[-1].place < _BESIDE and lines[end].text.startswith(("  ", "\t")):
        end += 1
    seen: dict[str, Find] = {}
    for problem in together:
        if (before := seen.get(problem.rule)) is not None:
            before.lines.add(lines[problem.place].number)
            continue
        block = lines[first.place : end] if problem is first else [lines[problem.place]]
        find = spotted(
            NAME,
            "lint",
            problem.rule,
            problem.message,
            lines[problem.place],
            block,
            frames=(Frame(problem.file, "", problem.line),),
            weight=1 if problem.strong else 2,
        )
        seen[problem.rule] = find
        yield find
