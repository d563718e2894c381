"""Java, Kotlin, Scala and the rest of the JVM: stack traces with their causes and suppressed exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.failures.found import Find
from kb.failures.model import Frame
from kb.failures.readers.java_frames import Head, head_at, head_before, in_stack, stack
from kb.failures.readers.logged import harmless
from kb.failures.streams import Line, Stream

NAME = "java"
ABOUT = "Java, Kotlin, Scala: stack traces, causes, suppressed exceptions"
EXAMPLE = """\
java.util.concurrent.ExecutionException: com.acme.stock.PlanException: no plan for A-17
	at java.base/java.util.concurrent.FutureTask.get(FutureTask.java:191)
	at com.acme.stock.Reorder.main(Reorder.java:13)
Caused by: com.acme.stock.PlanException: no plan for A-17
	at com.acme.stock.Reorder.plan(Reorder.java:8)
	... 4 more
"""

_FRAMES = 300
#: A cause so deep in a chain does not repeat the frames that it shares with what it caused: each level would.
_DEEPEST = 40
_SUPPRESSED = "Java suppressed this exception: it was thrown while closing what the one it stands under had left open"
#: What a static initialiser that failed before left in the exceptions after it (JDK 17 and later).
_EARLIER = re.compile(r"Exception (?P<type>[\w.$]{1,400})(?:: (?P<message>.*?))?(?: \[in thread \"[^\"\n]{1,200}\"\])$")
#: The level that java.util.logging prints on the second line of a record.
_J_U_L = re.compile(r"(?:WARNING|CONFIG|FINER?|FINEST): ")


@dataclass(slots=True)
class _Throwable:
    head: Head
    frames: list[Frame]
    end: int
    find: Find
    suppressed: bool = False
    depth: int = 0


def read(lines: Stream) -> Iterator[Find]:
    """Every throwable that shows a stack, tied to its cause; causes that stand without one."""
    open_chain: list[_Throwable] = []
    floor, index = 0, 0
    while index < len(lines):
        if not in_stack(lines[index].text):
            index += 1
            continue
        head = head_before(lines, index, floor)
        frames, more, end = stack(lines, index)
        if head is not None and head.type.endswith("Thread.State"):
            # A dump of all threads shows what each was doing.
            floor = index = end
            continue
        if head is None:
            if len(frames) > 1 and index < 2:
                yield _cut(lines, index, end, frames)
        else:
            if open_chain and (not head.link or head.at > open_chain[-1].end):
                open_chain = []
            yield from _add(lines, head, frames, more, end, open_chain)
        floor = index = end
        while open_chain and index < len(lines) and (alone := _bare_cause(lines, index)) is not None:
            # A cause without a stack of its own ends the chain, or stands in its middle.
            yield from _add(lines, alone, [], 0, index + 1, open_chain)
            index = floor = index + 1
    if not any(in_stack(line.text) for line in lines[:5000]):
        yield from _stackless(lines)


def _bare_cause(lines: Stream, index: int) -> Head | None:
    if index + 1 < len(lines) and in_stack(lines[index + 1].text):
        return None
    head = head_at(lines, index)
    if head is None or head.link != "Caused by":
        return None
    for line in lines[index + 1 : index + 40]:
        # A message of several lines and then the stack: the stack will find this head itself.
        if in_stack(line.text):
            return None
        if line.record or not line.text.strip() or line.level:
            break
    return head


def _add(
    lines: Stream, head: Head, frames: list[Frame], more: int, end: int, chain: list[_Throwable]
) -> Iterator[Find]:
    """The find of one throwable, linked into the chain above it; what it quotes comes with it."""
    parent = _parent(head, chain)
    suppressed = head.link == "Suppressed" or bool(parent and parent.suppressed)
    depth = parent.depth + 1 if parent else 0
    if more and parent is not None and depth < _DEEPEST:
        frames = [*frames, *parent.frames[-more:]]
    find = _find(lines, head, frames[:_FRAMES], end)
    if parent is not None:
        find.process = find.process or parent.find.process
        find.harmless = find.harmless or parent.find.harmless
    here = _Throwable(head, frames[:_FRAMES], end, find, suppressed, depth)
    if suppressed:
        find.teardown = _SUPPRESSED
    elif parent is not None and head.link == "Wrapped by":
        find.inner.append(("cause", parent.find))
    elif parent is not None and head.link == "Caused by":
        parent.find.inner.append(("cause", find))
    while chain and chain[-1].head.indent >= head.indent:
        chain.pop()  # whatever comes is tied to this one or to a shallower one
    chain.append(here)
    yield find
    quoted = _EARLIER.match(find.message) if find.type.endswith("ExceptionInInitializerError") else None
    if quoted is not None and not suppressed:
        inner = _find(lines, head, frames[:_FRAMES], end)
        inner.type, inner.message, inner.process = quoted["type"], quoted["message"] or "", find.process
        find.inner.append(("quotes", inner))
        yield inner


def _parent(head: Head, chain: list[_Throwable]) -> _Throwable | None:
    """The throwable that `head` is tied to: a cause to the last of its own depth, a suppressed one to a shallower."""
    if not head.link:
        return None
    for before in reversed(chain):
        if before.head.indent < head.indent or (before.head.indent == head.indent and head.link != "Suppressed"):
            return before
    return None


def _process(head: Head, line: Line, *, on_main: bool) -> str:
    """The thread; where a process says its name, that tells more than that it was the main one."""
    if head.thread and head.thread != "main":
        return head.thread
    return line.process or head.thread or ("main" if on_main else "")


def _find(lines: Stream, head: Head, frames: list[Frame], end: int) -> Find:
    line = lines[head.at]
    on_main = bool(frames) and frames[-1].function.endswith(".main") and not head.link
    return Find(
        kind="error" if "; lineNumber: " in line.text else "exception",  # its type and message stand apart
        type=head.type.replace("/", "."),
        message=head.message,
        at=line,
        first=line.number,
        last=lines[end - 1].number,
        language="java",
        frames=tuple(reversed(frames)),
        process=_process(head, line, on_main=on_main),
        reader=NAME,
        harmless="" if head.link or head.thread else _mild(lines, head.at),
        lines={ln.number for ln in lines[head.at : end]},
    )


def _mild(lines: Stream, index: int) -> str:
    if index and not lines[index].level and _J_U_L.match(lines[index - 1].text):
        return "logged as warning"
    return harmless(lines, index)


def _cut(lines: Stream, start: int, end: int, frames: list[Frame]) -> Find:
    """A stack whose head is not in the log: all that is known is where it was."""
    return Find(
        kind="exception",
        type="",
        message="",
        at=lines[start],
        first=lines[start].number,
        last=lines[end - 1].number,
        language="java",
        frames=tuple(reversed(frames[:_FRAMES])),
        process=lines[start].process,
        reader=NAME,
        complete=False,
        weight=1,
        lines={ln.number for ln in lines[start:end]},
    )


def _stackless(lines: Stream) -> Iterator[Find]:
    """Where no stack is in the log at all: the head and its `Caused by` lines, as launchers leave them."""
    last: Find | None = None
    for index, line in enumerate(lines):
        if not line.text.lstrip().startswith(("Caused by: ", "Exception in thread ")):
            continue
        head = head_at(lines, index)
        if head is None or ("." not in head.type and not head.type.endswith(("Exception", "Error"))):
            continue
        find = _find(lines, head, [], index + 1)
        find.weight = 1
        if head.link and last is not None and last.at.number == lines[index - 1].number:
            last.inner.append(("cause", find))
        elif head.link and index and lines[index - 1].text.startswith("Error: "):
            outer = _launcher(lines, index - 1)
            outer.inner.append(("cause", find))
            yield outer
        yield find
        last = find


def _launcher(lines: Stream, index: int) -> Find:
    """`Error: Could not find or load main class …`, which the java command prints before the cause."""
    line = lines[index]
    return Find(
        kind="exception",
        type="Error",
        message=line.text.removeprefix("Error: ").strip(),
        at=line,
        first=line.number,
        last=line.number,
        language="java",
        process=line.process,
        reader=NAME,
        weight=1,
        lines={line.number},
    )
