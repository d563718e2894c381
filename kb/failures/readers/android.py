"""Android: tombstones of native crashes, as debuggerd writes them and as tools print them with symbols."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.native_frames import bare_name, numbered_frame
from kb.failures.streams import Line, Stream

NAME = "android"
ABOUT = "Android: native crashes with their tombstones"
EXAMPLE = """\
*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
pid: 6998, tid: 6998, name: scanner  >>> org.example.till <<<
signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0
backtrace:
      #00 pc 0000000000012345  /data/app/org.example.till/lib/arm64/libtill.so (Scanner::read(int)+40)
      #01 pc 0000000000012445  /data/app/org.example.till/lib/arm64/libtill.so (Scanner::loop()+16)
"""

_SIGNAL = re.compile(
    r"(?P<message>signal \d{1,2} \((?P<type>SIG[A-Z0-9]{2,8})\), code -?\d{1,6} \(\w{1,40}\))(?:, fault addr|$|,)"
)
_FATAL = re.compile(r"(?P<message>Fatal signal \d{1,2} \((?P<type>SIG[A-Z0-9]{2,8})\))")
_ABORT = re.compile(r"Abort message: ['\"]?(?P<message>.*?)['\"]?$")
_PROCESS = re.compile(r"pid: \d{1,9}, tid: \d{1,9}, name: .{1,100}>>> (?P<process>\S.{0,200}?) <<<$")
_PC = re.compile(
    r"\s*#(?P<depth>\d{1,4}) pc [0-9a-f]{4,16}  ?(?P<file>\S{1,500})"
    r"(?: \((?P<function>(?!BuildId|offset).{1,1000}?)(?:\+\d{1,9})?\))?(?: \(.{1,200}\))?$"
)
_NAMED = re.compile(r"\*\*\* \*\*\* |Build fingerprint: |pid: \d|Abort message: ")
_BACK = 12
_REACH = 300
_MOST = 200
_STRANGERS = 6


def read(lines: Stream) -> Iterator[Find]:
    """One find per tombstone; the kernel's word that the signal was fatal counts where no tombstone follows."""
    index, told = 0, False
    alone: list[Find] = []
    while index < len(lines):
        text = lines[index].text
        end = index + 1
        if "signal " in text and (match := _SIGNAL.match(text.strip())) is not None:
            find, end = _tombstone(lines, index, match)
            told = True
            yield find
        elif "Fatal signal " in text and (match := _FATAL.search(text)) is not None:
            message = text[match.start() :].partition(" in tid ")[0]
            alone.append(spotted(NAME, "crash", match["type"], message, lines[index], [lines[index]], weight=1))
        index = end
    for find in alone:
        if told:
            find.harmless = "the tombstone tells the same"
        yield find


def _tombstone(lines: Stream, at: int, head: re.Match[str]) -> tuple[Find, int]:
    start = at
    while start and at - start < _BACK and _NAMED.match(lines[start - 1].text.strip()):
        start -= 1
    frames: list[Frame] = []
    said, said_at, end, strangers = head["message"], lines[at], at + 1, 0
    for place in range(at + 1, min(at + _REACH, len(lines))):
        text = lines[place].text
        if _SIGNAL.match(text.strip()) is not None:
            break
        if (abort := _ABORT.match(text.strip())) is not None and not frames:
            said, said_at = abort["message"], lines[place]
        frame = _frame(text)
        if frame is not None:
            frames.append(frame)
            end, strangers = place + 1, 0
        elif frames:
            strangers += 1
            if strangers > _STRANGERS or len(frames) >= _MOST:
                break
    process = next((m["process"] for line in lines[start : at + 1] if (m := _PROCESS.match(line.text.strip()))), "")
    find = spotted(
        NAME, "crash", head["type"], said, said_at, _block(lines, start, end, said_at), language="c++",
        frames=tuple(reversed(frames)),
    )  # fmt: skip
    find.process = process or find.process
    return find, max(end, at + 1)


def _block(lines: Stream, start: int, end: int, said: Line) -> list[Line]:
    return [*lines[start:end]] if any(line is said for line in lines[start:end]) else [*lines[start:end], said]


def _frame(text: str) -> Frame | None:
    if "#" not in text[:40]:
        return None
    if (match := _PC.match(text)) is not None:
        function = match["function"] or ""
        return Frame(match["file"], "" if function.startswith("offset") else bare_name(function), 0)
    numbered = numbered_frame(text)
    return numbered[1] if numbered is not None else None
