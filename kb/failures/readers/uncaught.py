"""Ada, Free Pascal, Crystal, Nim, Zig, Swift: the exception or panic with which a program ended."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "uncaught"
ABOUT = "Ada, Free Pascal, Crystal, Zig, Swift: uncaught exceptions and panics"
EXAMPLE = """\
raised CONSTRAINT_ERROR : main.adb:8 range check failed
"""

_ADA = re.compile(
    r"raised (?P<type>[A-Z][\w.]{1,100}) : (?:(?P<file>[\w.-]{1,200}\.ad[abs]):(?P<line>\d{1,7})(?::\d{1,5})? )?"
    r"(?P<message>\S.*)$"
)
_PASCAL = re.compile(r"An unhandled exception occurred at \$[0-9A-Fa-f]{4,16}:?$")
_PASCAL_RUNTIME = re.compile(r"(?P<type>Runtime error \d{1,4}) at \$[0-9A-Fa-f]{4,16}$")
_PASCAL_SAID = re.compile(r"(?P<type>E\w{1,100}): (?P<message>\S.*)$")
_PASCAL_FRAME = re.compile(
    r"\s+\$[0-9A-Fa-f]{4,16}(?:  (?P<function>\S{1,200}),  line (?P<line>\d{1,7}) of (?P<file>\S{1,300}))?$"
)
_CRYSTAL = re.compile(r"Unhandled exception(?: in spawn)?: (?P<message>.{1,4000}) \((?P<type>[A-Z][\w:]{1,200})\)$")
_CRYSTAL_FRAME = re.compile(r"  from (?P<file>\S{1,400}):(?P<line>\d{1,7}):\d{1,5} in '(?P<function>[^'\n]{1,200})'$")
_ZIG = re.compile(r"thread \d{1,9} panic: (?P<message>\S.*)$")
_ZIG_FRAME = re.compile(
    r"(?P<file>\S{1,400}\.zig):(?P<line>\d{1,7}):\d{1,5}: 0x[0-9a-f]{1,16} in (?P<function>\S{1,200}) \("
)
_SWIFT = re.compile(
    r"(?:(?P<module>[\w/.-]{1,300}):(?P<at>\d{1,7}): )?(?P<type>Fatal error|Assertion failed|Precondition failed)"
    r"(?:: (?P<message>[^\n]{1,2000}?))?(?:: file (?P<file>\S{1,300}\.swift), line (?P<line>\d{1,7}))?$"
)
_MOST = 60


def read(lines: Stream) -> Iterator[Find]:
    """One find per exception or panic."""
    for index, line in enumerate(lines):
        text = line.text.strip()
        if (ada := _ADA.match(text)) is not None:
            frames = (Frame(ada["file"], "", int(ada["line"])),) if ada["file"] else ()
            yield spotted(NAME, "error", ada["type"], ada["message"], line, [line], language="ada", frames=frames)
        elif (crystal := _CRYSTAL.match(text)) is not None:
            yield _with_calls(lines, index, index, crystal["type"], crystal["message"], "crystal", _CRYSTAL_FRAME)
        elif (zig := _ZIG.match(text)) is not None:
            yield _zig(lines, index, zig["message"])
        elif _PASCAL.match(text) and index + 1 < len(lines):
            said = _PASCAL_SAID.match(lines[index + 1].text)
            if said is not None:
                yield _with_calls(lines, index, index + 1, said["type"], said["message"], "pascal", _PASCAL_FRAME)
        elif (runtime := _PASCAL_RUNTIME.match(text)) is not None:
            yield _with_calls(lines, index, index, runtime["type"], text, "pascal", _PASCAL_FRAME)
        elif (swift := _SWIFT.match(text)) is not None and (
            swift["file"] or (swift["module"] or "").endswith(".swift")
        ):
            place = Frame(swift["file"] or swift["module"], "", int(swift["line"] or swift["at"]))
            message = (swift["message"] or "").strip()
            yield spotted(NAME, "error", swift["type"], message, line, [line], language="swift", frames=(place,))


def _with_calls(
    lines: Stream, first: int, at: int, name: str, message: str, language: str, frame: re.Pattern[str]
) -> Find:
    """A find of the lines from `first` to the last of the calls below the message at `at`."""
    end, frames = at + 1, []
    while end < min(at + _MOST, len(lines)) and (call := frame.match(lines[end].text)) is not None:
        if call["file"]:
            frames.append(Frame(call["file"], call["function"] or "", int(call["line"])))
        end += 1
    return spotted(
        NAME, "error", name, message, lines[at], lines[first:end], language=language, frames=tuple(reversed(frames))
    )


def _zig(lines: Stream, at: int, message: str) -> Find:
    """Below each call Zig shows its source and a caret."""
    end, frames, last = at + 1, [], at
    while end < min(at + _MOST, len(lines)) and end - last <= 3:
        if (call := _ZIG_FRAME.match(lines[end].text)) is not None:
            frames.append(Frame(call["file"], call["function"], int(call["line"])))
            last = end
        end += 1
    stop = min(last + 3, len(lines)) if frames else at + 1
    return spotted(
        NAME, "error", "panic", message, lines[at], lines[at:stop], language="zig", frames=tuple(reversed(frames))
    )
