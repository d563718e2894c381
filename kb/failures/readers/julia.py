"""Julia: uncaught errors with stack traces, what caused them, failures of tasks and tests.

Source: the format of `Base.display_error` in Julia 1.6 to 1.11 (numbered frames, `@ Module file:line` below each).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "julia"
ABOUT = "Julia: errors with stack traces, causes, failed tasks"
EXAMPLE = """\
ERROR: LoadError: BoundsError: attempt to access 3-element Vector{Int64} at index [5]
Stacktrace:
 [1] getindex
   @ ./essentials.jl:13 [inlined]
 [2] pick(v::Vector{Int64}, i::Int64)
   @ Main /srv/wells/pick.jl:4
in expression starting at /srv/wells/pick.jl:9
"""

_HEAD = re.compile(r"\s{0,8}(?:ERROR: |(?P<link>caused by): |(?P<task>nested task error): )(?P<rest>\S.*)$")
_TYPED = re.compile(r"(?P<type>(?:[A-Za-z_]\w{0,100}\.){0,5}[A-Z]\w{0,100})(?:: (?P<message>.*)|(?P<call>\(.*\)?.*)|$)")
_FRAME = re.compile(r"\s{1,12}\[(?P<number>\d{1,5})\] (?P<function>[^\s({]{1,300})")
_PLACE = re.compile(
    r"\s{1,12}@ (?:(?P<module>[A-Z]\w{0,100}(?:\.\w{1,100}){0,5}) )?(?P<file>\S{1,500}?):(?P<line>\d{1,7})"
)
_LOADED = re.compile(r"(?:LoadError: )+")


def read(lines: Stream) -> Iterator[Find]:
    """Every error with a stack trace below; `caused by` and nested task errors are the causes of what stands above."""
    outer: Find | None = None
    for index, line in enumerate(lines):
        match = _HEAD.match(line.text) if "ERROR: " in line.text or ": " in line.text[:30] else None
        if match is None:
            continue
        begin = _stack_at(lines, index)
        if begin is None and not match["task"]:
            continue
        find = _error(lines, index, match, begin)
        if (match["link"] or match["task"]) and outer is not None:
            outer.inner.append(("cause", find))
        yield find
        outer = find


def _stack_at(lines: Stream, at: int) -> int | None:
    for index in range(at + 1, min(at + 20, len(lines))):
        if lines[index].text.strip() == "Stacktrace:":
            return index
        if _HEAD.match(lines[index].text):
            return None
    return None


def _error(lines: Stream, at: int, match: re.Match[str], begin: int | None) -> Find:
    rest = _LOADED.sub("", match["rest"])
    typed = _TYPED.match(rest)
    if typed is not None and typed["message"] is None and not typed["call"] and " " in rest:
        typed = None
    name = typed["type"] if typed else "ErrorException"
    message = (typed["message"] or typed["call"] or "") if typed else rest
    end = at + 1
    frames: list[Frame] = []
    if begin is not None:
        message = "\n".join([message, *(ln.text.rstrip() for ln in lines[at + 1 : begin])]).strip()
        end = begin + 1
        while end < len(lines) and end - begin < 2000:
            text = lines[end].text
            frame = _FRAME.match(text)
            if frame is not None:
                function = frame["function"]
                frames.append(Frame("", "<module>" if function == "top-level" else function))
            elif frames and (place := _PLACE.match(text)) is not None:
                file = f"{place['module']} {place['file']}" if place["module"] == "Base" else place["file"]
                frames[-1] = Frame(file, frames[-1].function, int(place["line"]))
            elif text.startswith("in expression starting at") or "--- the last" in text:
                pass
            else:
                break
            end += 1
    return spotted(
        NAME, "error", name, message, lines[at], lines[at:end], language=NAME, frames=tuple(reversed(frames[:200]))
    )
