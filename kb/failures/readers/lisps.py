"""Guile, SBCL and Clojure: the condition that ended a program, with the calls printed around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "lisps"
ABOUT = "Guile, SBCL, Clojure: the condition that ended a program"
EXAMPLE = """\
Execution error (NullPointerException) at shop.core/price (core.clj:2).
Cannot invoke "Object.getClass()" because "x" is null

Full report at:
/tmp/clojure-5946606432546762994.edn
"""

_GUILE = re.compile(
    r"(?:(?P<file>\S{1,400}):(?P<line>\d{1,7}):\d{1,5}|ERROR|<unnamed port>:\d{1,7}:\d{1,5}): (?:ERROR: )?"
    r"(?P<message>In procedure \S{1,100}: \S.*|Unbound variable: \S.*|Throw to key `.*|no code for module .*"
    r"|Wrong type to apply: .*|Wrong number of arguments to .*)$"
)
_SBCL = re.compile(r"Unhandled (?P<type>[A-Z][\w:*+/-]{1,200}) in thread #<SB-THREAD:THREAD")
_SBCL_END = re.compile(r"Backtrace for: |debugger invoked|\d{1,6}: ")
_CALL = re.compile(r"\d{1,6}: \(+(?P<function>[^\s()]{1,200})")
_CLOJURE = re.compile(
    r"(?P<what>Execution error|Syntax error|Error (?:reading|printing|compiling)\b.{0,80}?|Unexpected error)"
    r"(?: \((?P<type>[\w$.]{1,200})\))? "
    r"(?:(?:macroexpanding|compiling|reading source|reading|printing) .{0,200}?)?at (?:(?P<function>\S{1,200}) )?"
    r"\((?P<file>[^():\n]{1,400})(?::(?P<line>\d{1,7}))?(?::\d{1,5})?\)\.$"
)
_MOST = 40


def read(lines: Stream) -> Iterator[Find]:
    """One find per condition."""
    for index, line in enumerate(lines):
        text = line.text
        if (guile := _GUILE.match(text)) is not None:
            frames = (Frame(guile["file"], "", int(guile["line"])),) if guile["file"] else ()
            yield spotted(NAME, "error", "error", guile["message"], line, [line], language="scheme", frames=frames)
        elif (sbcl := _SBCL.match(text)) is not None:
            yield _sbcl(lines, index, sbcl["type"])
        elif (clojure := _CLOJURE.match(text)) is not None and index + 1 < len(lines):
            yield _clojure(lines, index, clojure)


def _sbcl(lines: Stream, at: int, name: str) -> Find:
    """The report of a condition is indented, one line for each of its parts."""
    index, said = at + 1, []
    while index < min(at + _MOST, len(lines)) and not _SBCL_END.match(lines[index].text):
        if lines[index].text.startswith("  ") and not lines[index].text.lstrip().startswith("{"):
            said.append(lines[index].text.strip())
        index += 1
    frames: list[Frame] = []
    end = index
    while end < min(at + 6 * _MOST, len(lines)) and (not frames or _CALL.match(lines[end].text)):
        if (call := _CALL.match(lines[end].text)) is not None:
            frames.append(Frame("", call["function"].lower(), 0))
        elif end > index + 2:
            break
        end += 1
    own = [frame for frame in frames if not frame.function.startswith("sb-")]
    return spotted(
        NAME, "error", name, " ".join(said), lines[at], lines[at : max(end, at + 1)], language="lisp",
        frames=tuple(reversed(own or frames)),
    )  # fmt: skip


def _clojure(lines: Stream, at: int, head: re.Match[str]) -> Find:
    said = lines[at + 1]
    end = at + 2
    while end < min(at + 5, len(lines)) and (not lines[end].text.strip() or "Full report at:" in lines[end].text):
        end += 1
    function = (head["function"] or "").rpartition("/")[2]
    frame = Frame(head["file"], function, int(head["line"] or 0))
    return spotted(
        NAME, "error", head["type"] or head["what"], said.text.strip(), said, lines[at:end], language="clojure",
        frames=(frame,),
    )  # fmt: skip
