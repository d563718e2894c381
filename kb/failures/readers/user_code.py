"""TensorFlow, Keras, Equinox: messages that hold a report of their own: of a graph, of user code, of a jitted step.

The first line of such a message names only what was going on (`Graph execution error:`, `in user code:`).
"""

from typing import NamedTuple

from kb.expressions import late
from kb.failures.model import Frame
from kb.failures.readers.traceback import EXCEPTION, frame_at
from kb.failures.streams import Stream

_LONGEST = 400
_MOST_SAID = 6
_STARTS = ("Graph execution error:", "in user code:", "Exception encountered when calling ")
#: Of Equinox, whose report begins at once: the frames inside the compiled function, and the exception again.
_JITTED = "Below is the stack inside of JIT:"
#: What introduces a stack of the graph, or repeats where it was.
_ABOUT = ("Detected at node", "Node: ", "Stack trace for op definition:", "node ")
_NODE = late(r"\s*\[\[.*\]\]")
_MARK = late(r"\s+\*{1,2}$")


class Told(NamedTuple):
    """What a message's own report says: type ("" when it names none), message, its line, further frames, the end."""

    type: str
    message: str
    at: int
    frames: tuple[Frame, ...]
    end: int


def told(lines: Stream, at: int, message: str) -> Told | None:
    """The report behind the message of the exception at `at`, or None when the message holds none."""
    jitted = message.endswith(_JITTED)
    if not (jitted or message.startswith(_STARTS)) or at + 2 >= len(lines):
        return None
    if not jitted and lines[at + 1].text.strip():
        return None
    inside = jitted or message == "in user code:"
    frames: list[Frame] = []
    index, indent = (at + 1, " " * 4) if jitted else (at + 2, " " * 8)
    while index < min(at + _LONGEST, len(lines)):
        text = lines[index].text
        frame = frame_at(text)
        if frame is not None:
            frames.append(Frame(frame["file"], _MARK.sub("", frame["function"] or ""), int(frame["line"])))
        elif text.strip() and not text.startswith(_ABOUT) and not (inside and text.startswith(indent)):
            break
        elif inside and frames and text.strip() and not frames[-1].source:
            frames[-1] = frames[-1]._replace(source=text.strip()[:500])
        index += 1
    else:
        return None
    return _said(lines, index, tuple(frames), inside=inside)


def _said(lines: Stream, index: int, frames: tuple[Frame, ...], *, inside: bool) -> Told | None:
    first = lines[index].text.strip()
    name = ""
    if inside:
        match = EXCEPTION.match(first)
        if match is None:
            return None
        name, first = match["type"], (match["message"] or "").strip()
    texts, end = [first], index + 1
    while end < len(lines) and lines[end].text.strip() and not lines[end].record and len(texts) < _MOST_SAID:
        if not _NODE.match(lines[end].text):
            texts.append(lines[end].text.strip())
        end += 1
    return Told(name, "\n".join(texts), index, frames, end)
