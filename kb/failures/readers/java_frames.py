"""The grammar of Java stack traces: heads, frames, and the counts that stand for frames already shown.

Source: `Throwable.printStackTrace` of the JDK 8 to 21, and the variations of log4j, logback (`common frames omitted`,
packaging data, root cause first), XML parsers (the place before the message) and Maven (a space before the place).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kb.failures.model import Frame
from kb.failures.streams import Stream

#: `Caused by: a.b.C: message`, `Exception in thread "t" a.b.C: message`, `a.b.C`.
_HEAD = re.compile(
    r"(?P<indent>\s{0,60})(?:\[?(?P<link>Caused by|Suppressed|Wrapped by): (?:\[CIRCULAR REFERENCE: ?)?"
    r"|Exception in thread \"(?P<thread>[^\"\n]{1,200})\" |Uncaught exception in thread \S{1,100} )?"
    r"(?P<type>(?:[a-zA-Z_$][\w$-]*[./]){0,14}[A-Za-z_$][\w$]*)(?:(?:: |"
    r"(?:; (?:systemId|publicId|lineNumber|columnNumber): [^;\n]{1,500}){1,4}; )(?P<message>.*)|:?\s*)$"
)
_FRAME = re.compile(
    r"\s{0,60}at (?P<function>[^\s(][^(\n]{0,600}?) ?\("
    r"(?:(?P<file>[^\s():]{1,200}\.(?:java|kt|kts|scala|sc|groovy|clj|cljc))(?::(?P<line>\d{1,9}))?"
    r"|Native Method|Unknown Source(?::\d{1,9})?|<generated>|Source:\d{1,9}|SourceFile(?::\d{1,9})?)\)"
)
_MORE = re.compile(r"\s{1,60}\.\.\. (?P<count>\d{1,6}) (?:more|common frames omitted|frames? (?:truncated|excluded))")
#: The module or class loader before the class: `java.base/`, `app//`, `java.base@17.0.1/`.
_MODULE = re.compile(r"(?:[\w.@-]{0,200}/){1,2}(?=[A-Za-z_])")
_INLINE = re.compile(
    r"[:)\]] (?P<type>(?:[a-z][\w$]{0,80}\.){2,12}[A-Z][\w$]{0,200}(?:Exception|Error))(?:: (?P<message>.*))?$"
)
_NAMED = re.compile(r"(?:Exception|Error|Throwable|Failure|Interrupt|Panic|Death)\w{0,3}$")
_CLASS = re.compile(r"(?:[a-z_][\w$-]*[./]){1,14}[A-Z][\w$]*$")
_MESSAGE_LINES = 40


class Head(NamedTuple):
    """The first line of a throwable: where, how deep, how it is tied to the one before it, and what it says."""

    at: int
    indent: int
    link: str
    thread: str
    type: str
    message: str


def in_stack(text: str) -> bool:
    """Whether `text` is a frame, or the count that stands for frames already shown."""
    bare = text.lstrip()
    if bare.startswith("at "):
        return _FRAME.match(text) is not None
    return bare.startswith("... ") and _MORE.match(text) is not None


def head_at(lines: Stream, index: int) -> Head | None:
    """The head at `index`, if that line is one."""
    text = lines[index].text
    match = _HEAD.match(text)
    if match is None:
        return None
    kind = match["type"]
    if not (match["link"] or match["thread"] or _NAMED.search(kind) or _CLASS.match(kind)):
        return None
    return Head(
        index, len(match["indent"]), match["link"] or "", match["thread"] or "", kind, (match["message"] or "").strip()
    )


def head_before(lines: Stream, at: int, floor: int) -> Head | None:
    """The head of the stack that begins at `at`: the nearest above it, its message between, not above `floor`."""
    for index in range(at - 1, max(floor, at - _MESSAGE_LINES) - 1, -1):
        found = head_at(lines, index)
        if found is not None:
            return _with_message(lines, found, at)
        if index == at - 1 and (inline := _INLINE.search(lines[index].text[-2000:])):
            return Head(index, 0, "", "", inline["type"], (inline["message"] or "").strip())
        if lines[index].record or lines[index].level:
            return None
    return None


def _with_message(lines: Stream, head: Head, at: int) -> Head:
    more = [line.text.rstrip() for line in lines[head.at + 1 : at]]
    return head._replace(message="\n".join([head.message, *more]).strip("\n"))


def stack(lines: Stream, start: int) -> tuple[list[Frame], int, int]:
    """The frames from `start` on, innermost first; how many more are said to follow; the index after them."""
    frames: list[Frame] = []
    more, index = 0, start
    while index < len(lines):
        text = lines[index].text
        match = _FRAME.match(text) if text.lstrip().startswith("at ") else None
        if match is not None:
            frames.append(Frame(match["file"] or "", _MODULE.sub("", match["function"], 1), int(match["line"] or 0)))
        elif (count := _MORE.match(text)) is not None:
            more = int(count["count"])
            index += 1
            break
        else:
            break
        index += 1
    return frames, more, index
