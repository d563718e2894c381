"""Rust: panics of the old and the new layout, with and without backtrace; errors that `main` returned; aborts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.native_frames import stack_below
from kb.failures.streams import Line, Stream

NAME = "rust"
ABOUT = "Rust: panics with their backtraces, errors returned by main, chains of anyhow and eyre"
EXAMPLE = """\
thread 'reader-2' (12455) panicked at src/main.rs:8:39:
index out of bounds: the len is 1 but the index is 5
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""

#: Since 1.73 the message stands on the next line; before, it stood quoted in this one.
_PANIC = re.compile(
    r"thread '(?P<thread>[^'\n]{0,200})' (?:\(\d{1,12}\) )?panicked at "
    r"(?:'(?P<message>.*)', |(?P<bare>[^\s'][^,\n]{0,2000}), )?"
    r"(?P<file>[^\s,'][^,\n:]{0,500}):(?P<line>\d{1,7}):\d{1,5}(?P<new>:)?$"
)
_PANIC_OPEN = re.compile(r"thread '(?P<thread>[^'\n]{0,200})' panicked at '(?P<message>.*)$")
_CLOSE = re.compile(r"(?P<message>.*)', (?P<file>[^\s,'][^,\n:]{0,500}):(?P<line>\d{1,7}):\d{1,5}$")
_OVERFLOW = re.compile(r"thread '(?P<thread>[^'\n]{0,200})' (?:\(\d{1,12}\) )?has overflowed its stack$")
_FATAL = re.compile(r"(?P<type>fatal runtime error): (?P<message>.*)$")
_FRAME = re.compile(r"\s{0,6}(?P<number>\d{1,5}): +(?:0x[0-9a-f]{1,16} - )?(?P<function>\S.*)$")
_AT = re.compile(r"\s{6,40}at (?P<file>\S.{0,1000}?):(?P<line>\d{1,7})(?::\d{1,5})?$")
_HASH = re.compile(r"::h[0-9a-f]{16}$")
_CLOSURE = re.compile(r"(?:::\{\{closure\}\}|::\{closure#\d{1,4}\}|::\{\{vtable\.shim\}\})+")
_DISAMBIGUATOR = re.compile(r"\[[0-9a-f]{8,16}\]")
_NOTE = re.compile(r"note: (?:run with `RUST_BACKTRACE|Some details are omitted)")
_RETURNED = re.compile(r"Error: (?P<message>\S.*)$")
_CAUSE = re.compile(r"\s{2,8}(?:(?P<number>\d{1,3}): )?(?P<message>\S.*)$")
_OLD_ASSERT = re.compile(r"^assertion failed: `\(left (==|!=) right\)`")
_BACKTRACE = 4000
_BETWEEN = 12
_NEAR = 30


def read(lines: Stream) -> Iterator[Find]:
    """Every panic; the error that `main` returned, with its causes."""
    index = 0
    while index < len(lines):
        text = lines[index].text
        start = text.find("thread '")
        if start >= 0 and "panicked at" in text:
            margin = text[:start]
            # Of an old test, only the first line of a message is set behind a margin.
            if (
                margin
                and margin.isspace()
                and "".join(line.text for line in lines[index + 1 : index + 2]).startswith(margin)
            ):
                find, end = _panic(_dedented(lines, index, margin), 0, text[start:])
                index += end
            else:
                find, index = _panic(lines, index, text[start:])
            if find is not None:
                yield find
            continue
        if start == 0 and (match := _OVERFLOW.match(text)) is not None:
            block = lines[index : index + 2]
            message = "stack overflow"
            find = spotted(NAME, "crash", "fatal runtime error", message, block[-1], block, language="rust")
            find.process = match["thread"]
            yield find
            index += 2
            continue
        if text.startswith("Error: "):
            yield from _returned(lines, index)
        index += 1


def _dedented(lines: Stream, index: int, margin: str) -> list[Line]:
    """The lines from `index` on that stand behind `margin`, as cargo sets what a build script printed, without it."""
    block: list[Line] = []
    for line in islice(lines, index, index + _BACKTRACE):
        if block and (
            line.text.startswith(f"{margin}thread '") or (line.text.strip() and not line.text.startswith(margin))
        ):
            break
        block.append(line._replace(text=line.text.removeprefix(margin)))
    return block


def _panic(lines: Stream, at: int, text: str) -> tuple[Find | None, int]:
    match = _PANIC.match(text)
    index = at + 1
    where = at
    if match is None:
        return _open_panic(lines, at, text)
    if match["new"]:
        # The message stands on the lines up to the backtrace, the note, or an empty line.
        message, index = _message(lines, index)
        where = min(at + 1, len(lines) - 1) if message else at
    else:
        said = match["message"] if match["message"] is not None else match["bare"]
        message = said or ""
        more, index = _message(lines, index) if message.startswith("assertion failed") else ("", index)
        message = "\n".join(filter(None, (message, more)))
    return _found(lines, at, where, match, message, index)


def _open_panic(lines: Stream, at: int, text: str) -> tuple[Find | None, int]:
    """The old layout with a message of several lines: its quote closes on a later line."""
    first = _PANIC_OPEN.match(text)
    if first is None:
        return None, at + 1
    texts = [first["message"]]
    for index in range(at + 1, min(at + 30, len(lines))):
        close = _CLOSE.match(lines[index].text)
        if close is not None:
            texts.append(close["message"])
            head = f"thread '{first['thread']}' panicked at {close['file']}:{close['line']}:1"
            match = _PANIC.match(head)
            if match is None:
                break
            return _found(lines, at, at, match, "\n".join(texts), index + 1)
        texts.append(lines[index].text)
    return None, at + 1


def _message(lines: Stream, index: int) -> tuple[str, int]:
    texts: list[str] = []
    while index < len(lines) and len(texts) < 40:
        text = lines[index].text
        if text == "stack backtrace:" or _NOTE.match(text) or not text.strip() or text.startswith("thread '"):
            break
        if texts and (lines[index].record or not (text[0].isspace() or texts[0].endswith(":"))):
            break
        texts.append(text.rstrip())
        index += 1
    return "\n".join(texts), index


def _found(
    lines: Stream, at: int, where: int, match: re.Match[str], message: str, index: int
) -> tuple[Find | None, int]:
    # Before 1.73: "assertion failed: `(left == right)`", since then "assertion `left == right` failed".
    message = _OLD_ASSERT.sub(r"assertion `left \1 right` failed", message)
    frames, claimed, index = _backtrace(lines, index)
    place = Frame(match["file"], "<module>", int(match["line"]))
    if not any(f.function for f in frames):
        # Where symbolisers of the system print it, its frames are numbered as theirs are.
        below = stack_below(lines, index - 1, _NEAR) if claimed else ()
        frames = [f._replace(function=plain(f.function)) for f in reversed(below)] or [place]
    if index < len(lines) and _NOTE.match(lines[index].text):
        claimed.append(index)
        index += 1
    own = [*range(at, where + 1), *range(at, at + 1 + message.count("\n") + 1), *claimed]
    numbers = {lines[i].number for i in own if i < len(lines)}
    line = lines[where]
    return (
        Find(
            kind="panic",
            type="panic",
            message=message or "explicit panic",
            at=line,
            first=lines[at].number,
            last=max(numbers),
            language="rust",
            frames=tuple(reversed(frames[:200])),
            process=match["thread"] if match["thread"] != "<unnamed>" else line.process,
            reader=NAME,
            lines=numbers,
        ),
        max(index, at + 1),
    )


def _backtrace(lines: Stream, index: int) -> tuple[list[Frame], list[int], int]:
    """The backtrace, innermost first, the indices of its lines, and the index after; other threads may talk between."""
    if index >= len(lines) or lines[index].text != "stack backtrace:":
        return [], [], index
    frames: list[Frame] = []
    claimed = [index]
    end, between = index + 1, 0
    for position in range(index + 1, min(index + _BACKTRACE, len(lines))):
        text = lines[position].text
        frame = _FRAME.match(text)
        if frame is not None and int(frame["number"]) in (len(frames), len(frames) + 1):
            frames.append(Frame("", plain(frame["function"])))
        elif frames and (place := _AT.match(text)) is not None:
            frames[-1] = Frame(place["file"], frames[-1].function, int(place["line"]))
        elif _NOTE.match(text) or text.startswith("thread '"):
            break
        else:
            between += 1
            if between > _BETWEEN or (not text.strip() and frames):
                break
            continue
        claimed.append(position)
        end, between = position + 1, 0
    return frames, claimed, end


def plain(function: str) -> str:
    """`function` as it was declared: without hash, closure marks and disambiguators."""
    return _CLOSURE.sub("", _DISAMBIGUATOR.sub("", _HASH.sub("", function.strip())))


def _returned(lines: Stream, at: int) -> Iterator[Find]:
    """`Error: …` as the runtime prints what `main` returned, or with the causes that anyhow and eyre list below it."""
    match = _RETURNED.match(lines[at].text)
    causes = _causes(lines, at)
    if match is None or not causes:
        return
    outer = spotted(NAME, "error", "Error", match["message"], lines[at], lines[at : at + 1], language="rust")
    finds = [outer]
    for index, message in causes:
        finds.append(spotted(NAME, "error", "Error", message, lines[index], [lines[index]], language="rust"))
        finds[-2].inner.append(("cause", finds[-1]))
    yield from finds


def _causes(lines: Stream, at: int) -> list[tuple[int, str]]:
    index = at + 1
    while index < min(at + 4, len(lines)) and not lines[index].text.strip():
        index += 1
    if index >= len(lines) or lines[index].text.strip() != "Caused by:":
        return []
    causes: list[tuple[int, str]] = []
    for position in range(index + 1, min(index + 60, len(lines))):
        cause = _CAUSE.match(lines[position].text)
        if cause is None:
            break
        if cause["number"] or not causes:
            causes.append((position, cause["message"]))
    return causes
