"""JavaScript in Node, Deno and Bun: errors with their stacks, causes, the members of aggregates; V8 giving up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.logged import harmless
from kb.failures.streams import Stream

NAME = "javascript"
ABOUT = "JavaScript (Node, Deno, Bun): errors with stacks, causes and aggregates; out of memory"
EXAMPLE = """\
QueueError: cannot open the outgoing queue
    at openQueue (file:///srv/mailer/queue.mjs:4:79)
    at async file:///srv/mailer/queue.mjs:6:7 {
  [cause]: Error: connect ECONNREFUSED 127.0.0.1:6398
      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16) {
    code: 'ECONNREFUSED'
  }
}
"""

_PLACE = r"(?P<{0}>[^\s()][^()\n]{{0,1000}}?):(?P<{1}>\d{{1,9}}):\d{{1,9}}"
_FRAME = re.compile(
    r"(?P<indent>\s{0,200})at (?:"
    + r"(?P<function>[^()\n]{1,400}) \((?:"
    + _PLACE.format("file", "line")
    + r"|<anonymous>|native|index \d{1,6})\)|(?:async )?"
    + _PLACE.format("bare", "bare_line")
    + r"|<anonymous>)(?P<opens> \{| \[)?,?\s*$"
)
_HEAD = re.compile(
    r"(?:^|(?<=[\s\[({'\":>]))(?P<type>[A-Z][\w$]{0,200}?(?:Error|Exception|Rejection)|[Ee]rror(?!: Uncaught))"
    r"(?: \[(?P<code>[\w.]{1,100})\])?(?:: (?P<message>.*)|\s*)$"
)
_NAMED = re.compile(
    r"\s*(?!Trace\b|\w*Warning\b|Debug|Info\b|Note\b)(?P<type>[A-Z][\w$]{0,200})"
    r"(?: \[(?P<code>\w{1,100})\])?: (?P<message>.*)$"
)
#: An error without a stack: `[AggregateError: All promises were rejected] {`.
_BOXED = re.compile(r"(?P<before>.{0,400}?)\[(?P<type>[A-Z]\w{0,100}(?:Error|Exception)): (?P<message>.*)\](?: \{)?,?$")
_WARNING = re.compile(r"\(node:\d+\) (?:\[\w+\] )?(?!UnhandledPromiseRejection)\w*Warning: ")
_FATAL = re.compile(r"(?P<type>FATAL ERROR): (?P<message>\S.*)$")
_REASON = re.compile(r"The promise rejected with the reason \".*$")
#: A line of the source that a test tool shows with its number.
_SHOWN_SOURCE = re.compile(r"\s{0,12}>?\s{0,8}\d{1,7} ?\|")
#: How Jest heads what a test printed.
_CONSOLE = re.compile(r"\s{2}console\.(?:error|warn|log|info|debug|trace)$")
_CARET = re.compile(r"\s*\^+\s*$")
_SOURCE_AT = re.compile(r"(?P<file>\S[^\n]{0,1000}):(?P<line>\d{1,9})$")
_METHOD = re.compile(r" \[as [^\]\n]{1,200}\]")
#: What files of Node itself begin with: since version 16, and before.
_NODES_OWN = ("node:", "internal/")
_MODULE = frozenset({"Object.<anonymous>", "<anonymous>", "eval", "Module.<anonymous>"})
_MESSAGE_LINES = 40
#: Node's last line when an error that nobody caught ends it.
_NODE_ENDED = re.compile(r"Node\.js v\d")
_INDENTED = re.compile(r"\s|[\]}]")
#: The system's own names of errors.
_REFUSED = re.compile(r"\bE[A-Z]{3,14}\b")
_TROUBLE = re.compile(r"(?i)error|fail|reject|lost|clos(?:ed|ing)|shut|exit|stop|abort|cannot|unable|disconnect")
_WENT_ON = 20
_EMITTED = re.compile(r"Emitted '[^'\n]{1,60}' event ")
#: A property whose value is no object: the error's own code, number, address.
_PROPERTY = re.compile(r"\s{2,40}(?:\w{1,60}|'[^'\n]{1,60}'): [^\[{(\n][^{\n]{0,500}$")
_MOST_PROPERTIES = 16


@dataclass(slots=True)
class _Open:
    """A report whose properties may still follow: its indentation, and whether a brace is open."""

    indent: int
    find: Find
    brace: bool


def read(lines: Stream) -> Iterator[Find]:
    """Every error that shows a stack or holds others, tied to what it was caused by."""
    opened: list[_Open] = []
    told: list[tuple[Find, int]] = []
    floor = index = 0
    while index < len(lines):
        text = lines[index].text
        frame = _FRAME.match(text) if text.lstrip().startswith("at ") else None
        if frame is not None:
            found, end, brace = _report(lines, index, floor)
            if found is not None:
                _link(lines, found, opened)
                end, brace = _emitted(lines, end, brace)
                if brace:
                    _properties(lines, end, found)
                opened.append(_Open(_indent(found.at.text), found, brace))
                told.append((found, end))
                yield found
            floor = index = end
            continue
        boxed = _boxed(lines, index)
        if boxed is not None:
            _link(lines, boxed, opened)
            opened.append(_Open(_indent(text), boxed, text.endswith("{")))
            yield boxed
            floor = index + 1
        elif (fatal := _FATAL.match(text)) is not None:
            yield spotted(NAME, "crash", fatal["type"], fatal["message"], lines[index], [lines[index]], language=NAME)
            floor = index + 1
        else:
            _close(text, opened)
        index += 1
    _survived(lines, told)


def _survived(lines: Stream, told: list[tuple[Find, int]]) -> None:
    """Sets aside errors that were printed, and after which the program went on until another one ended it.

    What the system refused may be why a later error came, so that stays.
    """
    if len(told) < 2:
        return
    crash, end = told[-1]
    if crash.first == crash.at.number or not any(_NODE_ENDED.match(line.text) for line in lines[end : end + 30]):
        return
    for find, after in told[:-1]:
        caught = find.first == find.at.number and not find.harmless and not _INDENTED.match(find.at.text)
        if not caught or _REFUSED.search(find.message) or find.message[:200] in crash.message:
            continue
        between = (line.text for line in lines[after : after + _WENT_ON] if find.last < line.number < crash.first)
        if any(text.strip() and not _INDENTED.match(text) and not _TROUBLE.search(text) for text in between):
            find.aside = "the program went on after it, and another error ended it"


def _report(lines: Stream, start: int, floor: int) -> tuple[Find | None, int, bool]:
    """The error whose stack begins at `start`, the index after its stack, and whether its properties follow."""
    frames: list[Frame] = []
    index, brace = start, False
    while index < len(lines) and not brace:
        match = _FRAME.match(lines[index].text)
        if match is None:
            break
        frames.append(_frame(match))
        brace = match["opens"] is not None
        index += 1
    head = _head_before(lines, start, floor)
    if head is None:
        return None, index, False
    at, match = head
    begin, prelude = _prelude(lines, at, floor)
    if prelude is not None and not any(f.file and not f.file.startswith(_NODES_OWN) for f in frames):
        frames.insert(0, prelude)
    message = "\n".join([(match["message"] or "").strip(), *(ln.text.rstrip() for ln in lines[at + 1 : start])])
    kind = "error" if match["code"] else "exception"
    if match["type"] == "UnhandledPromiseRejection" and (reason := _REASON.search(message)):
        kind, message = "error", reason[0]
    if match["code"] == "ERR_ASSERTION":
        message = message.split("\n", 1)[0]
    find = spotted(
        NAME,
        kind,
        match["type"],
        message.strip("\n"),
        lines[at],
        lines[begin:index],
        language=NAME,
        frames=tuple(reversed(frames[:200])),
        notes=(match["code"],) if match["code"] else (),
    )
    if _WARNING.match(lines[at].text):
        find.harmless = "a warning of Node with its stack"
    elif begin == at:
        printed = at and _CONSOLE.match(lines[at - 1].text)
        find.harmless = "what a test printed" if printed else harmless(lines, at)
    return find, index, brace


def _emitted(lines: Stream, index: int, brace: bool) -> tuple[int, bool]:
    """The index after the stack by which Node tells where an error event was not handled, and whether more follows."""
    if brace or index >= len(lines) or not _EMITTED.match(lines[index].text):
        return index, brace
    index += 1
    while index < len(lines) and (frame := _FRAME.match(lines[index].text)) is not None:
        index += 1
        if frame["opens"] is not None:
            return index, True
    return index, False


def _properties(lines: Stream, index: int, find: Find) -> None:
    """Gives `find` the lines of its properties, where they are few and plain: a code, a path, an address."""
    inside = " " * (_indent(find.at.text) + 2)
    for at in range(index, min(index + _MOST_PROPERTIES, len(lines))):
        text = lines[at].text
        if text.strip() == "}":
            find.lines |= {line.number for line in lines[index : at + 1]}
            find.last = lines[at].number
            return
        if not text.startswith(inside) or not _PROPERTY.match(text):
            return


def _frame(match: re.Match[str]) -> Frame:
    name = _METHOD.sub("", match["function"] or "").removeprefix("async ").removeprefix("new ").strip()
    file = (match["file"] or match["bare"] or "").removeprefix("async ").removeprefix("file://")
    if name in _MODULE or not name:
        name = "<module>" if file else ""
    return Frame(file, name, int(match["line"] or match["bare_line"] or 0))


def _head_before(lines: Stream, at: int, floor: int) -> tuple[int, re.Match[str]] | None:
    """The line with type and message of the stack at `at`: right above it, or above the rest of the message."""
    blank = 0
    for index in range(at - 1, max(floor, at - _MESSAGE_LINES) - 1, -1):
        text = lines[index].text[-4000:]
        if "panicked at" in text or "panicked at" in lines[max(0, index - 1)].text:
            return None  # the frames of Rust look alike
        if _SHOWN_SOURCE.match(text):
            continue
        match = _HEAD.search(text) or (_NAMED.match(text) if index == at - 1 else None)
        if match is not None:
            return index, match
        blank += not text.strip()
        if lines[index].record or blank > 2:
            return None
    return None


def _prelude(lines: Stream, at: int, floor: int) -> tuple[int, Frame | None]:
    """Where the source that Node shows above an uncaught error begins, and its place as a frame."""
    if at < floor + 3 or lines[at - 1].text.strip():
        return at, None
    if not _CARET.match(lines[at - 2].text):
        return at, None
    for index in range(at - 3, max(floor, at - 8) - 1, -1):
        match = _SOURCE_AT.match(lines[index].text)
        if match is not None:
            source = lines[at - 3].text.strip()[:500]
            return index, Frame(match["file"], "<module>", int(match["line"]), source)
    return at, None


def _boxed(lines: Stream, index: int) -> Find | None:
    """An error in brackets that holds others: they follow in its braces."""
    text = lines[index].text
    if not text.endswith(("] {", "],", "]")) or ("Error: " not in text[:600] and "Exception: " not in text[:600]):
        return None
    match = _BOXED.match(text)
    if match is None or not (text.endswith("{") or match["before"].strip() in ("[cause]:", "")):
        return None
    return spotted(NAME, "exception", match["type"], match["message"], lines[index], [lines[index]], language=NAME)


def _link(lines: Stream, find: Find, opened: list[_Open]) -> None:
    """Tie `find` to the open report around it."""
    indent = _indent(find.at.text)
    text = find.at.text.lstrip()
    if text.lower().startswith("caused by: ") and opened:
        opened[-1].find.inner.append(("cause", find))
        find.harmless = opened[-1].find.harmless
        return
    while opened and (opened[-1].indent >= indent or not opened[-1].brace):
        opened.pop()
    if opened:
        outer = opened[-1].find
        outer.inner.append(("cause" if text.startswith("[cause]") else "member", find))
        find.harmless = outer.harmless


def _close(text: str, opened: list[_Open]) -> None:
    """Forget the reports that the line `text` closes, or that it shows to be over."""
    if not opened or not text.strip():
        return
    indent = _indent(text)
    closes = text.lstrip().startswith(("}", "]"))
    while opened and (indent < opened[-1].indent or (indent == opened[-1].indent and (closes or opened[-1].brace))):
        opened.pop()


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
