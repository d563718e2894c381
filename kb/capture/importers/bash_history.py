"""The history of bash: a line for a command, with `#SECONDS` before it where HISTTIMEFORMAT was set."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from kb.capture.importers.histories import last_sitting
from kb.capture.importers.source import Source, moment
from kb.capture.importers.told import Ran, Story

_TIME = re.compile(r"#(\d{9,11})")
_TIMED = re.compile(rb"\A#\d{9,11}\n")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
#: A command of more lines is taken for several: a quote in it was never closed.
_MOST_LINES = 50


def knows(path: Path, head: bytes) -> bool:
    """By its name, or by a time in the first line."""
    return path.name.endswith("bash_history") or bool(_TIMED.match(head))


def read(source: Source) -> Story:
    """The commands of the last sitting."""
    entries: list[Ran] = []
    when = None
    lines = source.text.split("\n")
    at = 0
    while at < len(lines):
        time = _TIME.fullmatch(lines[at])
        if time:
            when = moment(int(time[1]))
            at += 1
            continue
        count = _length(lines, at, timed=when is not None)
        entries.append(Ran("\n".join(lines[at : at + count]), started=when))
        at += count
    return last_sitting(entries)


def _length(lines: list[str], at: int, *, timed: bool) -> int:
    """How many lines the command has that begins there: it goes on while a quote or a backslash is open.

    Where times are written, bash may keep the lines of a loop apart, too.
    """
    text = ""
    for count, line in enumerate(lines[at : at + _MOST_LINES], start=1):
        if count > 1 and _TIME.fullmatch(line):
            break
        text += line + "\n"
        if not is_open(text) and not (timed and _is_in_block(text)):
            return count
    return 1


def _is_in_block(text: str) -> bool:
    """Whether a loop or a condition was begun and not ended."""
    words = Counter(_QUOTED.sub("", text).replace(";", " ").split())
    return any(words[begin] > words[end] for begin, end in (("do", "done"), ("if", "fi"), ("case", "esac"), ("{", "}")))


def is_open(text: str) -> bool:
    """Whether a shell would read another line: a quote is open, or the last line ends in a backslash."""
    quote = ""
    escaped = False
    for character in text.removesuffix("\n"):
        if escaped:
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
    return bool(quote) or escaped
