"""The .NET runtimes: exceptions with their inner ones, aggregates, and the console logger's failures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.logged import harmless
from kb.failures.streams import Line, Stream

NAME = "dotnet"
ABOUT = ".NET and Mono: exceptions, inner exceptions, aggregates, failures of the console logger"
EXAMPLE = """\
Unhandled exception. SyncException: no plan for A-3
 ---> System.Collections.Generic.KeyNotFoundException: The given key 'A-3' was not present in the dictionary.
   at Program.Size(Dictionary`2 d, String k) in /srv/sync/Sync.cs:line 4
   --- End of inner exception stack trace ---
   at Program.Plan(String k) in /srv/sync/Sync.cs:line 5
"""

_TYPE = r"(?P<type>(?:[A-Za-z_]\w{0,200}[.+]){0,14}[A-Z]\w{0,200}(?:`\d{1,3})?)"
_ONE = re.compile(_TYPE + r"(?: \((?P<code>0x[0-9A-Fa-f]{8})\))?(?:: (?P<message>.*)|$)")
_START = re.compile(
    r"(?P<lead>\s*(?:\[ERROR\] FATAL UNHANDLED EXCEPTION: |Unhandled [Ee]xception[.:] ?|---> )?"
    r"(?:\(Inner Exception #\d{1,4}\) )?)(?=[A-Za-z_])"
)
_INNER = re.compile(r"\s*---> (?:\(Inner Exception #(?P<number>\d{1,4})\) )?")
_FRAME = re.compile(
    r"\s+at (?:\(wrapper [^)\n]{1,80}\) )?(?P<function>[^\s(][^\n(]{0,600}?) ?(?:\[[^\]\n]{0,200}\] ?)?"
    r"\((?P<arguments>[^\n]{0,2000}?)\)(?: \[0x[0-9a-f]{1,8}\])?"
    r"(?: in (?P<file>[^\n]{1,1000}?):(?:line )?(?P<line>\d{1,9}))? ?(?P<closes><---)?\s*$"
)
_END = re.compile(r"\s*--- End of (?:inner exception stack trace|stack trace from previous location)")
_NAMED = re.compile(r"(?:Exception|Error|Fault)(?:`\d)?$")
_MOVE = re.compile(
    r"[.+]?<(?P<name>\w{1,200})>(?:[a-z]__\w{1,100}|c__\w{1,100})"
    r"(?:[.+]MoveNext|\.<?\w{0,100}>?[a-z]?_?_?\w{0,20})?$"
)
_STATE = re.compile(r"\.?<(?P<name>\w{1,200})>[a-z]__[\w|]{1,200}$")
#: The runtime's own end: `Environment.FailFast`, a stack without end, a corrupt state.
_ENDED = re.compile(
    r"(?P<type>Process terminated|Stack overflow|Fatal error)\."
    r"(?: (?P<exception>System\.[\w.]{1,200}):?)?(?: (?P<message>\S.*))?$"
)
_ENDS = ("Process terminated.", "Stack overflow.", "Fatal error. ")
_MESSAGE_LINES = 20
_DEEPEST = 50


class _Level(NamedTuple):
    """One exception of a chain: its type and message, and the line that names it."""

    type: str
    message: str
    at: Line


def read(lines: Stream) -> Iterator[Find]:
    """Every chain of exceptions that shows a stack, outer first; an aggregate's further members after it."""
    index, floor = 0, 0
    aggregate: Find | None = None
    aggregate_end = -1
    while index < len(lines):
        text = lines[index].text
        if text.startswith(("Process terminated.", "Stack overflow.", "Fatal error. ")) and (
            ended := _ended(lines, index)
        ):
            yield ended
            floor = index = index + max(len(ended.lines), 1)
            continue
        if not _FRAME.match(text):
            index += 1
            continue
        begin, levels = _heads(lines, index, floor)
        frames, end = _stacks(lines, index, len(levels))
        if levels:
            finds = _chain(lines, begin, end, levels, frames)
            member = _INNER.match(lines[begin].text)
            inside = member is not None and member["number"] is not None
            if inside and aggregate is not None and begin - aggregate_end <= 2:
                # The member numbered 0 is the inner exception that the chain has shown already.
                if member is not None and member["number"] != "0":
                    aggregate.inner.append(("member", finds[0]))
                    yield from finds
                else:
                    for find in finds:
                        aggregate.lines |= find.lines
                aggregate_end = end
            else:
                yield from finds
                aggregate = finds[0] if finds[0].type.endswith("AggregateException") else None
                aggregate_end = end
        floor = index = max(end, index + 1)
    yield from _console(lines)


def _heads(lines: Stream, at: int, floor: int) -> tuple[int, list[_Level]]:
    """The index of the first line of the report whose stack begins at `at`, and its exceptions, outermost first."""
    for index in range(at - 1, max(floor, at - _MESSAGE_LINES) - 1, -1):
        text = lines[index].text
        if _INNER.match(text) and not re.match(r"\s*---> \(Inner Exception #", text):
            continue
        start = _START.match(text)
        first = _ONE.match(text, start.end()) if start is not None else None
        plausible = first is not None and (_NAMED.search(first["type"]) or bool(start and start["lead"].strip()))
        if first is not None and plausible:
            return index, _levels(lines, index, at)
        if lines[index].record or not text.strip():
            break
    return at, []


def _levels(lines: Stream, begin: int, at: int) -> list[_Level]:
    levels: list[_Level] = []
    for line in lines[begin:at]:
        start = _START.match(line.text)
        text = line.text[start.end() :] if start is not None else line.text
        parts = text.split(" ---> ", _DEEPEST)
        for number, part in enumerate(parts):
            bare = part.removeprefix("(Inner Exception #0) ")
            one = _ONE.match(bare)
            new = number > 0 or line is lines[begin] or _INNER.match(line.text) is not None
            if one is not None and new and (number == 0 or "." in one["type"] or _NAMED.search(one["type"])):
                levels.append(_Level(one["type"], (one["message"] or "").strip(), line))
            elif levels:
                last = levels[-1]
                joint = "\n" if number == 0 else " ---> "
                levels[-1] = last._replace(message=f"{last.message}{joint}{part.rstrip()}")
    return levels


def _stacks(lines: Stream, start: int, levels: int) -> tuple[list[list[Frame]], int]:
    """The stacks from the innermost exception's on, each innermost first, and the index after them."""
    stacks: list[list[Frame]] = [[]]
    index = start
    while index < len(lines):
        text = lines[index].text
        match = _FRAME.match(text)
        if match is not None:
            if len(stacks[-1]) < 300:
                stacks[-1].append(Frame(match["file"] or "", plain(match["function"]), int(match["line"] or 0)))
        elif _END.match(text):
            if "inner exception" in text and len(stacks) < levels:
                stacks.append([])
        else:
            break
        index += 1
        if match is not None and match["closes"]:
            break
    return stacks, index


def plain(function: str) -> str:
    """`function` as it was declared: the method that an async state machine or a lambda was made from."""
    function = function.strip().replace("..ctor", ".ctor")
    for made in (_MOVE, _STATE):
        match = made.search(function)
        if match is not None:
            owner = re.split(r"[+.]<", function[: match.start() + 1], maxsplit=1)[0].rstrip(".+<")
            return f"{owner}.{match['name']}" if owner else match["name"]
    return function


def _chain(lines: Stream, begin: int, end: int, levels: list[_Level], stacks: list[list[Frame]]) -> list[Find]:
    finds: list[Find] = []
    mild = harmless(lines, begin)
    for depth, level in enumerate(levels):
        # Stacks stand innermost exception first.
        number = len(levels) - 1 - depth
        frames = stacks[number] if number < len(stacks) else []
        block = lines[begin:end]
        find = spotted(
            NAME, "exception", level.type, level.message, level.at, block, language=NAME, frames=tuple(reversed(frames))
        )
        find.harmless = mild
        if finds:
            finds[-1].inner.append(("cause", find))
        finds.append(find)
    return finds


def _ended(lines: Stream, at: int) -> Find | None:
    """The runtime's last words and the stack below them, which only an endless recursion may lack."""
    match = _ENDED.match(lines[at].text)
    stacks, end = _stacks(lines, at + 1, 0)
    if match is None or (not stacks[0] and match["type"] != "Stack overflow"):
        return None
    name = match["exception"] or match["type"]
    frames = tuple(reversed(stacks[0]))
    message = match["message"] or match["type"]
    return spotted(NAME, "crash", name, message, lines[at], lines[at:end], language=NAME, frames=frames)


def _console(lines: Stream) -> Iterator[Find]:
    """`fail: Category[0]` and its message on the next, indented line, where no exception follows."""
    for index, line in enumerate(lines[:-1]):
        if line.level not in ("error", "fatal") or line.text.strip() or not line.record:
            continue
        said = lines[index + 1]
        if not said.text.startswith("      ") or said.record:
            continue
        yield spotted(NAME, "error-line", line.level, said.text.strip(), said, [line, said], language=NAME, weight=2)
