"""Perl: what `die`, `croak` and the interpreter say before a program ends, with the calls that `confess` lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import MILD, Stream

NAME = "perl"
ABOUT = "Perl: die, croak and confess, compile errors, missing modules"
EXAMPLE = """\
rate table is empty at lib/Rates.pm line 5.
	Rates::deep(3) called at run.pl line 12
	main::step() called at run.pl line 6
"""

_DIED = re.compile(
    r"(?P<message>\S.*?) at (?P<file>-e|\S{1,500}) line (?P<line>\d{1,7})"
    r"(?P<near>, near .*|, at EOF|, <\S{1,60}> (?:line|chunk) \d{1,9})?\.?$"
)
_CALLED = re.compile(
    r"\s+(?P<function>[\w:]{1,300}|eval \{\.\.\.\})(?:\(.{0,4000}\))? "
    r"called at (?P<file>\S{1,500}) line (?P<line>\d{1,7})"
)
#: What only the interpreter says, and only when it cannot go on.
_FATAL = re.compile(
    r"(?:Can't (?:locate|call method|use|modify|find|open perl|return|coerce|declare|load|take|redeclare)"
    r"|Undefined subroutine|Illegal division|Illegal modulus|Not an? \w+ reference|Modification of|syntax error"
    r"|Global symbol|Bareword|Died$|Attempt to|Missing right curly|Unmatched |Nested quantifiers|Out of memory"
    r"|Unrecognized character|Missing braces|Type of arg|Too (?:many|few) arguments|Not enough arguments)"
)
_WARNS = re.compile(
    r"(?:Use of uninitialized|Odd number of|Argument \".*\" isn't numeric|Subroutine \S+ redefined|Useless use"
    r"|Name \".*\" used only once|Possible |Deep recursion|Wide character|Scalar value|\"my\" variable|Unquoted string"
    r"|Statement unlikely|print\(\) on closed|readline\(\) on)"
)
_ENDED = re.compile(r"exit (?:code|status):? [1-9]|exited with [1-9]|Error \d{1,3}$|returned exit code [1-9]")
_ABORTED = re.compile(
    r"(?:BEGIN failed--compilation aborted|Execution of \S+ aborted due to compilation errors"
    r"|Compilation failed in require|\S+ had (?:too many errors|compilation errors))"
)


def read(lines: Stream) -> Iterator[Find]:
    """Errors of the interpreter; a message with the calls below it; the message that is the last of its stream."""
    last = len(lines) - 1
    while last > 0 and not lines[last].text.strip():
        last -= 1
    before: Find | None = None
    for index, line in enumerate(lines):
        match = _DIED.match(line.text) if " line " in line.text else None
        if _ABORTED.match(line.text):
            find = spotted(NAME, "build", "perl", line.text.strip(), line, [line], language=NAME, weight=2)
            find.cascade = "perl gave up compiling after the error above" if before is not None else ""
            yield find
            continue
        if match is None or _WARNS.match(line.text) or line.level in MILD:
            continue
        calls, end = _calls(lines, index + 1)
        fatal = _FATAL.match(match["message"]) is not None
        if not (fatal or calls or index == last or _ends(lines, index)):
            continue
        before = _died(lines, index, end, match, calls)
        before.weight = 0 if fatal or calls else 1
        yield before


def _ends(lines: Stream, at: int) -> bool:
    """Whether the run is said to have ended right below: what was printed before may come later, through a pipe."""
    return any(_ENDED.search(line.text) for line in lines[at + 1 : at + 5])


def _calls(lines: Stream, index: int) -> tuple[list[re.Match[str]], int]:
    found: list[re.Match[str]] = []
    while index < len(lines) and (match := _CALLED.match(lines[index].text)) is not None:
        found.append(match)
        index += 1
    return found, index


def _died(lines: Stream, at: int, end: int, match: re.Match[str], calls: list[re.Match[str]]) -> Find:
    # A call's line names the function and where it was called from: shift, so that each place is inside its function.
    places = [(match["file"], match["line"]), *((c["file"], c["line"]) for c in calls)]
    names = [*(c["function"] for c in calls), "<module>"]
    frames = [
        Frame(file, "" if name.startswith("eval") else name, int(number))
        for (file, number), name in zip(places, names, strict=True)
    ]
    message = match["message"]
    if (match["near"] or "").startswith(", near"):
        message += match["near"]
    message = re.sub(r" \(you may need to install .*", "", message)
    message = re.sub(r" \(@INC (?:contains|entries checked): .*", "", message)
    return spotted(
        NAME, "error", "die", message, lines[at], lines[at:end], language=NAME, frames=tuple(reversed(frames[:200]))
    )
