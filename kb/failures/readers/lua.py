"""Lua and LuaJIT, alone or inside nginx, HAProxy, Neovim and games: errors with their tracebacks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "lua"
ABOUT = "Lua: errors with their tracebacks, also inside other programs"
EXAMPLE = """\
lua5.4: ./rates.lua:2: attempt to index a nil value (field 'table')
stack traceback:
	./rates.lua:2: in function 'rates.read'
	main.lua:4: in main chunk
	[C]: in ?
"""

_TRACE = "stack traceback:"
_INTERPRETER = r"(?:\S{0,200}/)?(?:lua(?:jit|c)?[\d.-]{0,8}(?:\.exe)?|resty|nvim|texlua|tarantool)"
#: `lua: file.lua:3: message` of the interpreter.
_ENDED = re.compile(rf"{_INTERPRETER}: (?:(?P<file>[^\s:]{{1,500}}):(?P<line>\d{{1,7}}): )?(?P<message>\S.{{0,4000}})$")
#: `file.lua:3: message` anywhere in a line that a traceback follows.
_PLACED = re.compile(
    r"(?P<file>[^\s:\"']{1,500}\.lua|\[string \"[^\"\n]{0,200}\"\]):(?P<line>\d{1,7}): (?P<message>\S.*)$"
)
_FRAME = re.compile(
    r"\s+(?:(?P<file>[^\s:]{1,500}|\[string \"[^\"\n]{0,200}\"\]):(?P<line>\d{1,7})|\[C\]): in (?:function |upvalue |"
    r"local |method |field |global )?(?P<function>.{1,200})$"
)
_NAME_OF = re.compile(r"['<](?:[\w.:]{0,200}[.:])?(?P<name>\w{1,100})['>]")
_NOT_FOUND = re.compile(r"module '[^'\n]{1,300}' not found:$")
_MOST = 80


def read(lines: Stream) -> Iterator[Find]:
    """One find per traceback, and per message with which the interpreter itself ended."""
    for index, line in enumerate(lines):
        text = line.text
        if text.strip() == _TRACE and index:
            at = _head(lines, index)
            if at is not None:
                yield _error(lines, at, index)
        elif (match := _ENDED.match(text)) and match["file"] and not _traced(lines, index):
            frame = Frame(match["file"], "", int(match["line"]))
            yield spotted(NAME, "error", "error", match["message"], line, [line], language=NAME, frames=(frame,))


def _traced(lines: Stream, at: int) -> bool:
    return any(line.text.strip() == _TRACE for line in lines[at + 1 : at + _MOST])


def _head(lines: Stream, trace: int) -> int | None:
    """The line whose error the traceback at `trace` belongs to; further lines of a message are indented."""
    at = trace - 1
    while at > max(0, trace - _MOST) and lines[at].text.startswith(("\t", "    ")):
        at -= 1
    text = lines[at].text
    return at if _ENDED.match(text) or _PLACED.search(text[:4000]) else None


def _error(lines: Stream, at: int, trace: int) -> Find:
    text = lines[at].text[:4000]
    match = _ENDED.match(text)
    placed = match if match is not None and match["file"] else _PLACED.search(text)
    said = placed or match
    message = said["message"] if said is not None else text.strip()
    if _NOT_FOUND.search(message):
        message = message.rstrip(":")  # what follows are the places where it was looked for
    end, frames = trace + 1, []
    while end < len(lines) and (frame := _FRAME.match(lines[end].text)) is not None:
        name = _NAME_OF.search(frame["function"])
        function = name["name"] if name else "<module>" if "main chunk" in frame["function"] else ""
        frames.append(Frame(frame["file"] or "", function, int(frame["line"] or 0)))
        end += 1
    return spotted(
        NAME,
        "error",
        "error",
        message,
        lines[at],
        lines[at:end],
        language=NAME,
        frames=tuple(reversed(frames[:200])),
    )
