"""The grammar of one Python traceback, wherever it stands: bare, behind prefixes, indented, in an exception group.

Source: the format printed by CPython's `traceback` module, 3.6 to 3.13 (caret lines from 3.11, notes, groups, repeated
frames, `SyntaxError` with its marker).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from kb.expressions import late
from kb.failures.model import Frame, Relation
from kb.failures.streams import Line

HEADER = "Traceback (most recent call last)"

SEPARATORS: dict[str, Relation] = {
    "The above exception was the direct cause of the following exception:": "cause",
    "During handling of the above exception, another exception occurred:": "context",
}
#: So many lines may stand between two exceptions of a chain.
BETWEEN = 12

_FRAME = late(
    r'(?P<margin>.*?)(?: {2}|> )File "(?P<file>[^"]{1,4096})", line (?P<line>\d{1,9})(?:, in (?P<function>.*))?$'
)
_REPEATED = late(r"\[Previous line repeated \d+ more times?\]")
_CARETS = late(r"[\s^~]+$")
#: `pkg.mod.Type: message`, `Type`, `RayTaskError(KeyError): …`; nested classes print `<locals>`.
EXCEPTION = late(
    r"(?P<type>[A-Za-z_][\w.]{0,300}(?:\.?<locals>\.[\w.]{1,200})?(?:\([A-Za-z_][\w.]{0,200}\))?)"
    r"(?:: (?P<message>.*)|:?\s*)$"
)
#: Loguru marks the frame that caught the exception.
_FRAME_STARTS = ('  File "', '> File "')
_MARGIN = late(r"[\s|│+]*$")
RELAYED = late(r"\[(?P<name>[\w.:/-]{1,60})\] ")
#: Characters that may stand before a traceback as a margin (indentation, group bars, box drawing).
_MAX_FRAMES = 5000
#: Behind them stands what a program goes on to say, or a field that holds a traceback's text.
_LEVELS = frozenset({"Traceback", "DEBUG", "INFO", "NOTICE", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL"})
_IN_SOURCE = late(r"at \d{1,6}:\d{1,6}:$")
_MARK = late(r"\s*\^\s*$")
#: What people set for the frames that they leave out.
_LEFT_OUT = ("...", "[...]", "\u2026", "<snip>")


class Traceback(NamedTuple):
    """One parsed traceback: its frames, where its exception line is (None when cut), and the index after it."""

    frames: tuple[Frame, ...]
    margin: str
    exception: int | None
    type: str
    message: str
    end: int
    syntax: bool


def frame_at(text: str) -> re.Match[str] | None:
    """The match when `text` is a frame line (`File "…", line N, in f`), with its margin."""
    return _FRAME.match(text) if 'File "' in text else None


def chained(between: Sequence[Line]) -> Relation | None:
    """How what stands behind these lines came from what stands before them, where the words of a chain tell."""
    if len(between) > BETWEEN:
        return None
    texts = (line.text.strip(" |") for line in between)
    return next((SEPARATORS[text] for text in texts if text in SEPARATORS), None)


def strip_margin(text: str, margin: str) -> str | None:
    """`text` without `margin`, or None when it does not have it; blank lines may have lost trailing spaces."""
    if text.startswith(margin):
        return text[len(margin) :]
    if text.rstrip() == margin.rstrip():
        return ""
    return None


def parse(lines: Sequence[Line], start: int, *, headless: bool = False) -> Traceback:
    """The traceback whose header is at `start` (or whose first frame is, when `headless`: the paste began in it)."""
    index = start if headless else start + 1
    margin = _find_margin(lines, index, "" if headless else _before_head(lines[start].text))
    frames: list[Frame] = []
    syntax = False
    if margin is None:
        # No frames follow: `Traceback (most recent call last):` and then at once the exception, or nothing at all.
        margin = lines[start].text[: lines[start].text.find("Traceback")] if not headless else ""
        margin = margin if _MARGIN.match(margin) else ""
        if index < len(lines) and lines[index].text.strip() in _LEFT_OUT:
            index += 1
        return _finish(lines, index, margin, frames, syntax)
    while index < len(lines):
        text = strip_margin(lines[index].text, margin)
        if text is None:
            break
        match = _FRAME.match(text) if text.startswith(_FRAME_STARTS) else None
        if match:
            if len(frames) < _MAX_FRAMES:
                function = match["function"] or ""
                syntax = not function and match["function"] is None
                frames.append(Frame(match["file"], function.strip(), int(match["line"])))
            index += 1
        elif text.startswith("    ") or (text.startswith("  ") and _REPEATED.search(text)) or _under(text, frames):
            if frames and not frames[-1].source and not _CARETS.match(text) and not _REPEATED.search(text):
                last = frames[-1]
                frames[-1] = Frame(last.file, last.function, last.line, text.strip()[:500])
            index += 1
        elif not text.strip() and _more_frames(lines, index, margin):
            index += 1
        else:
            break
    # Loguru sets blank lines between the head, the frames and the exception.
    spaced = not headless and not lines[start + 1].text.strip()
    return _finish(lines, index, margin, frames, syntax, spaced=spaced)


def _under(text: str, frames: list[Frame]) -> bool:
    """Whether `text` marks the source above it: a line that was empty or not indented, a statement of several lines."""
    return bool(frames) and "^" in text and _CARETS.match(text) is not None


def _before_head(text: str) -> str:
    """A name in brackets with which a program begins each line that it relays of another, or ""."""
    label = RELAYED.match(text)
    return label[0] if label is not None and text.startswith("Traceback (", label.end()) else ""


def _find_margin(lines: Sequence[Line], index: int, relayed: str) -> str | None:
    """The margin of the first frame line within the next two lines, or what stands before all of them."""
    for line in lines[index : index + 2]:
        match = frame_at(line.text)
        if match and (_MARGIN.match(match["margin"]) or (relayed and match["margin"] == relayed)):
            return match["margin"]
    return None


def _more_frames(lines: Sequence[Line], index: int, margin: str) -> bool:
    """Whether a blank line at `index` is an empty source line: a frame follows within two lines."""
    for line in lines[index + 1 : index + 3]:
        text = strip_margin(line.text, margin)
        if text is not None and text.startswith(_FRAME_STARTS):
            return True
    return False


def _finish(
    lines: Sequence[Line], index: int, margin: str, frames: list[Frame], syntax: bool, *, spaced: bool = False
) -> Traceback:
    if spaced and index < len(lines) and not lines[index].text.strip():
        index += 1
    if index < len(lines) and not _begins_record(lines, index):
        text = strip_margin(lines[index].text, margin)
        match = EXCEPTION.match(text) if text and not text[0].isspace() else None
        if match and _plausible(match["type"], match["message"], text or ""):
            return Traceback(
                tuple(frames), margin, index, match["type"], (match["message"] or "").strip(), index + 1, syntax
            )
    return Traceback(tuple(frames), margin, None, "", "", index, syntax)


def _begins_record(lines: Sequence[Line], index: int) -> bool:
    """Whether a logger's record stands where the exception should: the traceback above, which has no prefix, is cut."""
    line = lines[index]
    return line.record and bool(line.level) and index > 0 and not (lines[index - 1].record or lines[index - 1].level)


def _plausible(name: str, message: str | None, text: str) -> bool:
    """Whether `name` may be an exception's: after frames any name with a colon, else one that looks like a class."""
    last = name.rsplit(".", 1)[-1].split("(")[0]
    if last in _LEVELS:
        return False
    if message is not None or text.rstrip().endswith(":"):
        return True
    return bool(last[:1].isupper() or "." in name) and " " not in text.strip()


def quotes_source(message: str, more: list[str]) -> bool:
    """Whether `message` quotes a kernel's source, as Triton's do, and the line after `more` still belongs to it.

    Such a message marks the place with a caret, and says in the line after it what is wrong there.
    """
    return _IN_SOURCE.match(message) is not None and not (len(more) > 1 and _MARK.match(more[-2]))
