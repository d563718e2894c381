"""Haskell: errors of GHC with their codes, and what a program says as an exception ends it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, first_said, spotted
from kb.failures.model import Frame
from kb.failures.streams import MILD, Stream

NAME = "haskell"
ABOUT = "Haskell: errors of GHC, uncaught exceptions with their call stacks"
EXAMPLE = """\
src/Rates.hs:4:11: error: [GHC-83865]
    • Couldn't match expected type ‘[a0]’ with actual type ‘Int’
    • In the first argument of ‘(++)’, namely ‘total’
  |
4 | sums m = total ++ 1
  |          ^^^^^
"""

_HEAD = re.compile(
    r"(?P<file>\S{1,500}\.l?hsc?):(?P<place>(?P<line>\d{1,7}):\d{1,5}(?:-\d{1,5})?|\(\d{1,7},\d{1,5}\)-\(\d{1,7},\d{1,5}\)"
    r"): error:(?: \[(?P<code>GHC-\d{1,6})\])?(?: \[[^\]\n]{1,200}\])?(?P<said>.*)$"
)
_SOURCE = re.compile(r" {0,8}\d{0,7} {0,2}\|(?: |$)")
_CALL_STACK = "CallStack (from HasCallStack):"
#: `rates: Map.!: given key is not an element in the map`: the program's name, and what the exception shows.
_ENDED = re.compile(r"(?P<program>[\w./+-]{1,100}): (?P<message>\S.{0,2000})$")
_CALLED = re.compile(r" {2}(?P<what>[\w.']{1,200}), called at (?P<file>\S{1,500}):(?P<line>\d{1,7}):\d{1,5} in ")
#: What only the runtime of Haskell says, without a call stack.
_RUNTIME = re.compile(
    r"Prelude\.[\w.']{1,60}: (?:empty list|no parse|bad argument|undefined|negative index|index too large|Enum\.)"
    r"|<<loop>>$|thread blocked indefinitely in an? |(?:stack|heap) overflow$|arithmetic overflow$|divide by zero$"
    r"|\S{1,500}\.l?hs:\S{1,40}: (?:Non-exhaustive (?:patterns|guards)|Missing field|No instance)"
    r"|.{1,500}: (?:openFile|openBinaryFile|getDirectoryContents\S{0,40}|withFile|removeFile|createProcess"
    r"|readCreateProcess|Network\.Socket\.\w{1,40}|hGetLine|hGetContents|hGetChar|getCurrentDirectory|setCurrentDirectory|copyFile\S{0,20})"
    r": (?:does not exist|permission denied|resource \w{1,20}|already exists|end of file|illegal operation|"
    r"unsupported operation|invalid argument|inappropriate type)\b"
)
_MOST = 60


def read(lines: Stream) -> Iterator[Find]:
    """One find per error of the compiler, and per exception that ended a program."""
    seen: dict[tuple[str, str], Find] = {}
    index = 0
    find: Find | None
    while index < len(lines):
        head = _HEAD.match(lines[index].text) if ": error:" in lines[index].text else None
        if head is not None:
            find, index = _compiled(lines, index, head)
        else:
            find, index = _ended(lines, index)
        if find is not None and first_said(seen, (find.type, find.message), find):
            yield find


def _compiled(lines: Stream, at: int, head: re.Match[str]) -> tuple[Find, int]:
    """An error of GHC: its first indented line says what is wrong; bullets add where."""
    end, said = at + 1, [(at, head["said"].strip())] if head["said"].strip() else []
    while end < min(at + _MOST, len(lines)) and (lines[end].text.startswith("  ") or _SOURCE.match(lines[end].text)):
        text = lines[end].text.strip()
        if text and not _SOURCE.match(lines[end].text):
            said.append((end, text.removeprefix("• ")))
        end += 1
    where, message = said[0] if said else (at, "error")
    frame = Frame(head["file"], "", int(head["line"] or 0))
    return (
        spotted(
            NAME, "build", head["code"] or "error", message, lines[where], lines[at:end], language=NAME, frames=(frame,)
        ),
        end,
    )


def _ended(lines: Stream, at: int) -> tuple[Find | None, int]:
    """What a program said as it ended: known by its call stack, or by the words of the runtime."""
    line = lines[at]
    match = _ENDED.match(line.text) if ": " in line.text[:102] else None
    if match is None or line.level in MILD:
        return None, at + 1
    end = at + 1
    while end < min(at + 8, len(lines)) and lines[end].text.strip() and lines[end].text != _CALL_STACK:
        end += 1
    stacked = end < len(lines) and lines[end].text == _CALL_STACK
    if not stacked and not _RUNTIME.match(match["message"]):
        return None, at + 1
    said = [match["message"], *(other.text.strip() for other in lines[at + 1 : end])] if stacked else [match["message"]]
    end = end + 1 if stacked else at + 1
    frames: list[Frame] = []
    while end < len(lines) and (called := _CALLED.match(lines[end].text)) is not None:
        frames.append(Frame(called["file"], called["what"], int(called["line"])))
        end += 1
    return (
        spotted(
            NAME,
            "error",
            "exception",
            "\n".join(said).strip(),
            line,
            lines[at:end],
            language=NAME,
            frames=tuple(reversed(frames)),
        ),
        end,
    )
