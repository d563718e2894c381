"""Ruby: uncaught exceptions with their causes, exceptions written by loggers and Rails, syntax errors, crashes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.logged import harmless
from kb.failures.streams import Stream

NAME = "ruby"
ABOUT = "Ruby: exceptions with backtrace and causes, Rails' own form, syntax errors"
EXAMPLE = """\
slots.rb:8:in `rescue in load_row': slot 7 cannot be used (SlotError)
	from slots.rb:12:in `<main>'
slots.rb:4:in `fetch': key not found: "width" (KeyError)
	from slots.rb:6:in `load_row'
	from slots.rb:12:in `<main>'
"""

_PLACE = r"(?P<file>(?:<internal:[^>\n]{1,300}>|[^\s:'\"`]{1,500})):(?P<line>\d{1,7})"
_TYPE = r"(?P<type>[A-Z]\w{0,100}(?:::\w{1,100}){0,10})"
_HEAD = re.compile(_PLACE + rf":in [`'](?P<function>[^'\n]{{1,300}})': (?P<message>.*?) ?(?<= )\({_TYPE}\)$")
_FROM = re.compile(r"\s{1,12}(?:\d{1,5}: )?from " + _PLACE + r"(?::in [`'](?P<function>[^'\n]{1,300})')?$")
_BARE_FRAME = re.compile(_PLACE + r":in [`'](?P<function>[^'\n]{1,300})'$")
#: `message (Class)` of a logger, with the backtrace as bare lines below it.
_LOGGED = re.compile(rf"(?P<message>\S.*?) \({_TYPE}\)$")
#: Rails: `KeyError (key not found: "x"):`, an empty line, and bare frames.
_RAILS = re.compile(rf"{_TYPE} \((?P<message>.*)\):$")
#: Request ids and the like that Rails puts before every line of a record.
_TAGS = re.compile(r"(?:\[[\w.:-]{1,64}\](?: |$)){1,4} ?")
_SYNTAX = re.compile(_PLACE + r": (?P<message>syntax errors? ?(?:, |found).*|.{0,200}\(SyntaxError\))$")
_CRASH = re.compile(_PLACE + r": \[BUG\] (?P<message>\S.*)$")
_THREAD = re.compile(r"#<Thread:0x[0-9a-f]+(?:@(?P<name>[^\s>]{1,100}))? \S+ run> terminated with exception")
#: What ended RubyGems; its message stands below.
_GEM = re.compile(rf"ERROR:  While executing gem \.\.\. \({_TYPE}\)$")
_GEM_FRAME = re.compile(r"\t" + _BARE_FRAME.pattern)
_RAKE = "rake aborted!"
_AT_START = re.compile(rf"{_TYPE}: (?P<message>\S.*)$")
_BLOCK = re.compile(r"(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+")


def read(lines: Stream) -> Iterator[Find]:
    """Every exception with a backtrace or named in Ruby's own form, tied to the causes printed below it."""
    index = 0
    last: Find | None = None
    while index < len(lines):
        text = lines[index].text
        if text == _RAKE and index + 1 < len(lines):
            last, index = _aborted(lines, index + 1)
            yield last
            continue
        match = _HEAD.match(text) if text.endswith(")") else None
        if match is not None:
            find, index = _exception(lines, index, match)
            # Ruby prints the outer exception first, and its cause right below; a thread's own is printed twice.
            if last is not None and last.last == find.first - 1 and _told(last) != _told(find):
                last.inner.append(("cause", find))
            last = find
            yield find
            continue
        other = _other(lines, index)
        if other is not None:
            find, index = other
            last = find
            yield find
            continue
        index += 1


def _told(find: Find) -> tuple[str, str]:
    return find.type, find.message


def _exception(lines: Stream, at: int, match: re.Match[str]) -> tuple[Find, int]:
    """`file:line:in `f': message (Class)`, the further lines of its message, and its `from` lines."""
    index = at + 1
    more: list[str] = []
    while index < len(lines) and index - at < 30 and not _FROM.match(lines[index].text):
        text = lines[index].text
        if _HEAD.match(text) or lines[index].record or _THREAD.match(text) or _BARE_FRAME.match(text):
            break
        more.append(text.rstrip())
        index += 1
    if index >= len(lines) or not _FROM.match(lines[index].text):
        # No backtrace below: only the indented lines right under the head are of the message.
        more = []
        index = at + 1
        while index < len(lines) and lines[index].text.startswith("  ") and index - at < 20:
            more.append(lines[index].text.rstrip())
            index += 1
    frames = [_frame(match)]
    while index < len(lines) and (place := _FROM.match(lines[index].text)) is not None:
        if len(frames) < 300:
            frames.append(_frame(place))
        index += 1
    begin = at - 1 if at and _THREAD.match(lines[at - 1].text) else at
    thread = _THREAD.match(lines[begin].text) if begin < at else None
    message = "\n".join([match["message"], *more]).strip()
    find = spotted(
        NAME,
        "error",
        match["type"],
        message if message != match["type"] else "",
        lines[at],
        lines[begin:index],
        language=NAME,
        frames=tuple(reversed(frames)),
    )
    if thread and thread["name"]:
        find.process = thread["name"]
    return find, index


def _aborted(lines: Stream, at: int) -> tuple[Find, int]:
    """What ended a run of rake: an exception, or a command that failed and said itself why."""
    text = lines[at].text.strip()
    typed = _AT_START.match(text)
    end, frames = at + 1, []
    while end < len(lines) and (place := _BARE_FRAME.match(lines[end].text)) is not None:
        frames.append(_frame(place))
        end += 1
    name, message = (typed["type"], typed["message"]) if typed else ("rake", text)
    kind = "exception" if typed else "build"
    block = lines[at - 1 : end]
    return spotted(
        NAME, kind, name, message, lines[at], block, language=NAME, frames=tuple(reversed(frames[:300]))
    ), end


def _of_gem(lines: Stream, at: int, match: re.Match[str]) -> tuple[Find, int]:
    """What ended a run of `gem`: its class, the indented lines of its message, and its backtrace when asked for."""
    end = at + 1
    while end < min(at + 20, len(lines)) and lines[end].text.startswith(("    ", "Did you mean?")):
        end += 1
    message = "\n".join(line.text.strip() for line in lines[at + 1 : end] if line.text.startswith("    "))
    frames = []
    while end < len(lines) and (place := _GEM_FRAME.match(lines[end].text)) is not None:
        frames.append(_frame(place))
        end += 1
    found = tuple(reversed(frames[:300]))
    told = lines[at + 1] if message else lines[at]
    return spotted(NAME, "error", match["type"], message, told, lines[at:end], language=NAME, frames=found), end


def _frame(match: re.Match[str]) -> Frame:
    name = _BLOCK.sub("", match["function"] or "")
    if name in ("<main>", "<top (required)>", ""):
        name = "<module>"
    return Frame(match["file"], name.rpartition("#")[2].rpartition(".")[2] or name, int(match["line"]))


def _other(lines: Stream, at: int) -> tuple[Find, int] | None:
    line = lines[at]
    gem = _GEM.match(line.text)
    if gem is not None:
        return _of_gem(lines, at, gem)
    crash = _CRASH.match(line.text)
    if crash is not None:
        frame = (Frame(crash["file"], "<module>", int(crash["line"])),)
        return spotted(NAME, "crash", "[BUG]", crash["message"], line, [line], language=NAME, frames=frame), at + 1
    syntax = _SYNTAX.match(line.text)
    if syntax is not None:
        frame = (Frame(syntax["file"], "<module>", int(syntax["line"])),)
        message = syntax["message"].removesuffix(" (SyntaxError)")
        return spotted(NAME, "error", "SyntaxError", message, line, [line], language=NAME, frames=frame), at + 1
    text = _TAGS.sub("", line.text, count=1)
    match = _RAILS.match(text) or (_LOGGED.match(text) if line.record else None)
    if match is None:
        return None
    index = at + 1
    while index < min(at + 4, len(lines)) and not _TAGS.sub("", lines[index].text, count=1).strip():
        index += 1
    frames: list[Frame] = []
    while (
        index < len(lines)
        and (place := _BARE_FRAME.match(_TAGS.sub("", lines[index].text, count=1).strip())) is not None
    ):
        frames.append(_frame(place))
        index += 1
    if not frames:
        return None
    find = spotted(
        NAME,
        "error",
        match["type"],
        match["message"],
        line,
        lines[at:index],
        language=NAME,
        frames=tuple(reversed(frames[:300])),
    )
    find.harmless = harmless(lines, at) if line.level else ""
    return find, index
