"""TeX and LaTeX: what stands behind an exclamation mark, with the line of the source at which TeX stopped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, first_said, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "tex"
ABOUT = "TeX and LaTeX: errors with the line of the source"
EXAMPLE = """\
! Undefined control sequence.
l.3 Total \\foo
              {3} \\begin{itm} x
"""

_SAID = re.compile(r"! (?! ==> )(?P<message>[^=\s].{0,1000})$")
_LINE = re.compile(r"l\.(?P<line>\d{1,7})(?: (?P<source>.*))?$")
_LAST_TOKEN = re.compile(r"(?P<token>\\[A-Za-z@]+\*?|\\.)\s*$")
_STOPPED = re.compile(r"! (?:Emergency stop\.| ==> Fatal error occurred, .*)$")
#: What the last reader tells as well, and in the same words.
_NAMED = re.compile(r"! \S{1,60}(?: \S{1,60}){0,3} [Ee]rror: ")
#: TeX prints a bracket and the name as it opens a file.
_FILE = re.compile(r"\((?P<file>\.{0,2}/?[\w./-]{1,300}\.tex)\b")
_BELOW = 16


def read(lines: Stream) -> Iterator[Find]:
    """One find per message; TeX goes on after most, so the first is the one to mend."""
    seen: dict[tuple[str, str], Find] = {}
    file = ""
    for index, line in enumerate(lines):
        if not line.text.startswith("! "):
            opened = _FILE.findall(line.text[:2000]) if ".tex" in line.text else ()
            file = str(opened[-1]) if opened else file
            continue
        if _STOPPED.match(line.text):
            find = spotted(NAME, "build", "TeX", line.text[2:].strip(), line, [line], language=NAME, weight=2)
            find.cascade = "TeX gave up after the error above"
        elif (said := _SAID.match(line.text)) is not None and not _NAMED.match(line.text):
            find = _error(lines, index, said["message"], file)
        else:
            continue
        if first_said(seen, (find.type, find.message), find):
            yield find


def _error(lines: Stream, at: int, message: str, file: str) -> Find:
    """The message, and what was read last where the message only says that it is not known."""
    frames: tuple[Frame, ...] = ()
    end = at + 1
    for index in range(at + 1, min(at + _BELOW, len(lines))):
        place = _LINE.match(lines[index].text)
        if place is not None:
            token = _LAST_TOKEN.search(place["source"] or "")
            if message.startswith("Undefined control sequence") and token is not None:
                message = f"{message}\n{token['token']}"
            frames = (Frame(file, "", int(place["line"])),)
            end = index + 1
            break
        if lines[index].text.startswith("! "):
            break
    return spotted(NAME, "error", "error", message, lines[at], lines[at:end], language=NAME, frames=frames, weight=2)
