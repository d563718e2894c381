"""A recorded terminal cut into commands: at the marks of its shell, else at what looks like prompts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from kb.capture.importers.told import Ran, Saw
from kb.capture.run.screen import plain_lines
from kb.capture.shell.marks import Mark, Marks

_ALTERNATE = re.compile(r"\x1b\[\?(?:1049|1047|47)h.*?(?:\x1b\[\?(?:1049|1047|47)l|\Z)", re.DOTALL)
#: Prompts as shells make them by default: user, host and folder before a sign, or a sign alone that no output begins
#: with. Longer lines than a prompt are looked at only at their beginning.
_PROMPT = re.compile(
    r"(?:\([\w.@ -]{1,40}\) ?)?"
    r"(?:\[?[\w.-]{1,40}@[\w.-]{1,80}(?:[: ][^\s$#%>❯]{0,120})?\]?"
    r"|[~/][\w./~-]{0,120}|(?:ba|z|da)?sh-[\d.]{1,8}|[\w-]{1,60})?"
    r"(?: ?\([\w./-]{1,60}\))? ?[$#%❯➜>] (?=\S)"
)
_SURE = re.compile(r"[@~$❯➜]|sh-[\d.]")
_LONGEST_PROMPT = 400
#: What ends a shell is no part of what happened.
_ENDS = frozenset({"exit", "logout"})
NO_MARKS = "whether the commands are right: they were told by what looks like a prompt"
NO_EXITS = "the exit statuses: the recording holds none"


class Recorded(NamedTuple):
    """What a terminal got: the bytes, and the seconds since the beginning at which offsets of them were reached."""

    data: bytes
    times: Sequence[tuple[int, float]] = ()
    started: datetime | None = None

    def seconds(self, offset: int) -> float | None:
        """When the byte at `offset` was written, in seconds since the beginning."""
        if not self.times:
            return None
        at = bisect_right(self.times, (offset, float("inf"))) - 1
        return self.times[max(at, 0)][1]

    def ran(self, command: str, start: int, end: int, exit_: int | None, cwd: str = "") -> Ran:
        """The command whose output lies between two offsets."""
        began, ended = self.seconds(start), self.seconds(max(start, end - 1))
        took = ended - began if began is not None and ended is not None else None
        when = self.started + timedelta(seconds=min(began, 1e9)) if self.started and began is not None else None
        when = when.replace(microsecond=0) if when else None
        return Ran(command, screen_text(self.data[start:end]), exit_, took, cwd, when)


def screen_text(data: bytes) -> str:
    """What a terminal shows in the end, as lines; the screens of editors and pagers are left out."""
    return plain_lines(_ALTERNATE.sub("", data.decode("utf-8", "replace")))


class Found(NamedTuple):
    """The commands of a recording, and what is not known of them."""

    events: tuple[Ran | Saw, ...]
    unknown: tuple[str, ...] = ()


def commands_of(recorded: Recorded, source: str, command: str, exit_: int | None) -> Found:
    """The commands of a recording: the `command` it was made of, else those of its shell; without any, it is a log."""
    if command:
        return Found((recorded.ran(command, 0, len(recorded.data), exit_),))
    marked = [one for one in _marked(recorded) if one.command.strip() not in _ENDS]
    if marked:
        return Found(tuple(marked), () if any(one.exit is not None for one in marked) else (NO_EXITS,))
    prompted = [one for one in _prompted(recorded) if one.command not in _ENDS]
    if prompted:
        return Found(tuple(prompted), (NO_MARKS,))
    text = screen_text(recorded.data)
    return Found((Saw(text, source),) if text.strip() else (), ("which commands were run: no prompt was told",))


def _marked(recorded: Recorded) -> Iterator[Ran]:
    """The commands that integrated shells mark (OSC 133 and 633)."""
    marks, _ = Marks("").find(recorded.data)
    said = cwd = ""
    typing: Mark | None = None
    open_: tuple[str, int] | None = None
    for mark in marks:
        if open_ is not None and mark.kind in ("ends", "prompt"):
            yield recorded.ran(open_[0], open_[1], mark.start, mark.number if mark.kind == "ends" else None, cwd)
            open_ = None
        if mark.kind == "typing":
            typing = mark
        elif mark.kind == "line":
            said = mark.text
        elif mark.kind == "folder":
            cwd = mark.text
        elif mark.kind == "begins" and open_ is None:
            echo = screen_text(recorded.data[typing.end : mark.start]).strip() if typing else ""
            open_ = (mark.text or said or echo, mark.end)
            said, typing = "", None
    if open_ is not None:
        yield recorded.ran(open_[0], open_[1], len(recorded.data), None, cwd)


def _prompted(recorded: Recorded) -> Iterator[Ran]:
    """The commands behind what looks like a prompt, each with the lines up to the next one."""
    begun: tuple[str, int] | None = None
    at = 0
    kind = ""
    for line in recorded.data.splitlines(keepends=True):
        text = screen_text(line).strip("\n") if len(line) < 1 << 16 else ""
        prompt = _PROMPT.match(text[:_LONGEST_PROMPT])
        if prompt and (_SURE.search(prompt[0]) or (kind and prompt[0].strip()[-1] == kind and begun)):
            sign = prompt[0].strip()[-1]
            if not kind or sign == kind:
                kind = sign
                if begun:
                    yield recorded.ran(begun[0], begun[1], at, None)
                begun = (text[prompt.end() :].strip(), at + len(line))
        elif begun and kind and _is_bare_prompt(text, kind):
            yield recorded.ran(begun[0], begun[1], at, None)
            begun = None
        at += len(line)
    if begun:
        yield recorded.ran(begun[0], begun[1], len(recorded.data), None)


def _is_bare_prompt(text: str, kind: str) -> bool:
    """A prompt at which nothing was typed (Enter, Ctrl-C, Ctrl-D or the end)."""
    bare = text.strip()
    return bare.endswith(kind) and bool(_PROMPT.fullmatch(f"{bare} x"[:-1]) or _PROMPT.match(f"{bare} x"))
