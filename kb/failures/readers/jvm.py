"""The Java virtual machine itself: crashes with a report, a start that failed because of its options or its memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "jvm"
ABOUT = (
    "Java virtual machine: crashes in native code, threads in a deadlock, options and memory with which it cannot start"
)
EXAMPLE = """\
#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007fa1cd0dae0c, pid=12543, tid=12544
#
# Problematic frame:
# V  [libjvm.so+0xedae0c]  Unsafe_GetInt+0x12c
#
"""

_BEGIN = re.compile(
    r"#\s+(?:A fatal error has been detected by the Java Runtime Environment:"
    r"|There is insufficient memory for the Java Runtime Environment to continue\.)$"
)
_SIGNAL = re.compile(
    r"#\s+(?P<type>SIG[A-Z0-9]{2,10}|EXCEPTION_\w{1,60}|Internal Error|Out of Memory Error) (?P<message>\(.*)$"
)
_DETAIL = re.compile(
    r"#\s+(?P<message>(?:fatal error|guarantee\(.{1,300}?\) failed|assert\(.{1,300}?\) failed|Error): \S.*)$"
)
_MEMORY = re.compile(r"#\s+(?P<message>Native memory allocation \(\w{1,40}\) failed to .*)$")
_FRAME = re.compile(
    r"#\s+[VCJjvA]\s+(?:\d{1,9} \w{0,4} )?(?:\[(?P<file>[^\]+]{1,200})(?:\+0x[0-9a-f]{1,16})?\])?\s*(?P<function>.*)$"
)
_OFFSET = re.compile(r"\+0x[0-9a-f]{1,16}$|\(.*$")
_LONGEST = 60
#: What a dump of the threads says of those that wait for each other for good.
_DEADLOCK = re.compile(r"Found (?:one|a total of \d{1,6}|\d{1,6}) Java-level deadlocks?:$")
_DEADLOCK_END = re.compile(r"Found (?:a total of )?\d{1,6} deadlocks?\.$")
_WAITING = re.compile(r"\"(?P<thread>[^\"\n]{1,200})\":$")
_AT = re.compile(
    r"\s+at (?P<function>[\w.$<>/@]{1,400})\((?:(?P<file>[\w.$-]{1,200}):(?P<line>\d{1,7})|[^()\n]{1,100})\)$"
)
_LONGEST_DUMP = 200
#: What the virtual machine says before it gives up to start; the launcher then repeats that it could not.
_OPTION = re.compile(
    r"(?P<message>(?:Unrecognized (?:VM )?option:? |Improperly specified VM option |Conflicting |"
    r"Invalid (?:maximum|initial|young|thread) \w{0,10} ?size: |"
    r"(?:Initial|Minimum|Maximum) heap size .{0,80}|VM option '.{1,100}' is |"
    r"Could not reserve enough space for ).*)$"
)
_START = re.compile(r"Error occurred during initialization of (?:VM|boot layer)$")


def read(lines: Stream) -> Iterator[Find]:
    """Each crash report by its signal and the frame it names; what a start failed of."""
    started = any(line.text.startswith("Error: Could not create the Java Virtual Machine") for line in lines)
    for index, line in enumerate(lines):
        text = line.text
        if text.startswith("#") and _BEGIN.match(text):
            yield _crash(lines, index)
        elif text.startswith("Found ") and _DEADLOCK.match(text):
            yield _deadlock(lines, index)
        elif _START.match(text) and index + 1 < len(lines):
            after = lines[index + 1]
            yield spotted(NAME, "error", "JVM", after.text.strip(), after, lines[index : index + 2], language="java")
        elif started and (option := _OPTION.match(text)):
            yield spotted(NAME, "error", "JVM", option["message"], line, [line], language="java", weight=1)


def _deadlock(lines: Stream, begin: int) -> Find:
    """The threads that wait for each other, and where the first of them stands."""
    end = begin + 1
    while end < len(lines) and end - begin < _LONGEST_DUMP and not _DEADLOCK_END.match(lines[end].text):
        end += 1
    block = lines[begin : min(end + 1, len(lines))]
    frames: list[Frame] = []
    for line in block:
        if match := _AT.match(line.text):
            frames.append(Frame(match["file"] or "", match["function"], int(match["line"] or 0)))
        elif frames and _WAITING.match(line.text):
            break
    threads = dict.fromkeys(match["thread"] for line in block if (match := _WAITING.match(line.text)))
    return spotted(
        NAME, "error", "deadlock", "", block[0], block, language="java",
        frames=tuple(reversed(frames)), notes=(", ".join(threads)[:300],),
    )  # fmt: skip


def _crash(lines: Stream, begin: int) -> Find:
    end = begin + 1
    while end < len(lines) and end - begin < _LONGEST and lines[end].text.startswith("#"):
        end += 1
    block = lines[begin:end]
    at, name, message = block[0], "JVM crash", block[0].text.strip("# ")
    frames: tuple[Frame, ...] = ()
    for index, line in enumerate(block):
        if match := _SIGNAL.match(line.text):
            at, name, message = line, match["type"], match["message"]
        elif (match := _DETAIL.match(line.text)) or (match := _MEMORY.match(line.text)):
            at, message = line, match["message"]
        elif line.text.endswith("Problematic frame:") and index + 1 < len(block):
            if frame := _FRAME.match(block[index + 1].text):
                function = _OFFSET.sub("", frame["function"].strip())
                frames = (Frame(frame["file"] or "", function or "?"),)
                message = f"{message}\n{block[index + 1].text.strip('# ')}"
            break
    return spotted(NAME, "crash", name, message, at, block, language="java", frames=frames)
