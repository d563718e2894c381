"""Windows: what its debuggers, cdb and WinDbg, write of a crash: of a program, or of the whole system."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.native_frames import bare_name
from kb.failures.streams import Line, Stream

NAME = "windbg"
ABOUT = "Windows: crashes and bug checks as cdb and WinDbg print them"
EXAMPLE = """\
(a24.784): Access violation - code c0000005 (!!! second chance !!!)
till!Scanner::read+0x46:
00007ff6`6eefbe2a 488b00          mov     rax,qword ptr [rax] ds:00000000`00000000=????????????????
STACK_TEXT:
00000000`0915b084 00007ff6`6eefc617 till!Scanner::read+0x46 [d:\\till\\scanner.cpp @ 31]
00000000`0915b090 00007ff6`6eee765b till!Scanner::loop+0x77 [d:\\till\\scanner.cpp @ 58]
"""

_RAISED = re.compile(
    r"\([0-9a-f]{1,6}\.[0-9a-f]{1,6}\): (?P<message>(?P<type>\S.{0,100}?) - code [0-9a-f]{8}) "
    r"\((?P<chance>first chance|!!! second chance !!!)\)$"
)
_BUGCHECK = re.compile(r"(?P<type>[A-Z][A-Z0-9_]{6,80}) \((?P<code>[0-9a-f]{1,8})\)$")
_ANALYSIS = re.compile(r"\*? {2,60}(?P<what>Exception|Bugcheck) Analysis {2,60}\*?$")
_ADDRESS = r"(?:[0-9a-f]{8}(?:`[0-9a-f]{8})?|-{8}(?:`-{8})?|\(Inline(?: Function)?\))"
_STEP = re.compile(
    rf"(?:[0-9a-f]{{2,3}} )?{_ADDRESS}(?: {{1,4}}(?:{_ADDRESS}|:)){{1,12}} {{1,4}}"
    r"(?P<module>[\w.-]{1,80})!(?P<function>\S.{0,2000}?)(?:\+0x[0-9a-f]{1,8})?"
    r"(?: \[(?P<file>[^\]\n]{1,500}?) @ (?P<line>\d{1,7})\])?$"
)
_STACK = re.compile(r"STACK_TEXT:|\s{0,4}(?:# )?Child-?(?:EBP|SP) {1,20}RetAddr")
#: So far below the exception the debugger's words on it may go on: registers, loaded modules, its analysis.
_REACH = 400
_MOST = 200


def read(lines: Stream) -> Iterator[Find]:
    """One find per crash; an exception that got a first chance alone, and no stack, was handled by the program."""
    raised: tuple[int, re.Match[str]] | None = None
    analysed = -1
    index = 0
    while index < len(lines):
        text = lines[index].text.strip()
        if (match := _RAISED.match(text)) is not None:
            # The debugger's own stop where a program begins is none of the program's.
            raised = (index, match) if match["type"] != "Break instruction exception" else None
            if raised is not None and match["chance"] != "first chance":
                find, index = _crash(lines, raised)
                raised = None
                yield find
                continue
        elif _ANALYSIS.match(text) is not None:
            analysed = index
        elif 0 <= index - analysed <= 8 and analysed >= 0 and (match := _BUGCHECK.match(text)) is not None:
            find, index = _crash(lines, (index, match))
            yield find
            continue
        elif raised is not None and index - raised[0] < _REACH and _STACK.match(text) is not None:
            find, index = _crash(lines, raised)
            raised = None
            yield find
            continue
        index += 1


def _crash(lines: Stream, head: tuple[int, re.Match[str]]) -> tuple[Find, int]:
    at, match = head
    groups = match.groupdict()
    frames, end = _stack(lines, at)
    message = groups.get("message") or f"bug check {groups['code']}"
    block: list[Line] = [lines[at], *lines[end - len(frames) : end]] if frames else [lines[at]]
    find = spotted(
        NAME, "crash", match["type"], message, lines[at], block, language="c++", frames=tuple(reversed(frames))
    )
    return find, max(end, at + 1)


def _stack(lines: Stream, at: int) -> tuple[list[Frame], int]:
    """The first stack below, innermost first, and the index after it."""
    frames: list[Frame] = []
    for index in range(at + 1, min(at + _REACH, len(lines))):
        text = lines[index].text
        step = _STEP.match(text.rstrip()) if "!" in text and len(text) < 4000 else None
        if step is not None and len(frames) < _MOST:
            file = step["file"] or step["module"]
            frames.append(Frame(file, bare_name(step["function"]), int(step["line"] or 0)))
        elif frames:
            return frames, index
        elif _RAISED.match(text.strip()) is not None:
            break
    return frames, (min(at + _REACH, len(lines)) if frames else at + 1)
