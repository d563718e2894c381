"""The grammar of a traceback as IPython and Jupyter print it: the type at its head, frames with the source around them.

Source: the outputs of IPython 5 to 9; what runs notebooks quotes them in an exception of its own.
"""

from collections.abc import Sequence

from kb.expressions import late
from kb.failures.model import Frame
from kb.failures.readers.traceback import Traceback
from kb.failures.streams import Line

#: Exceptions that hold such a traceback, behind the source of the cell.
HOLDERS = ("CellExecutionError", "PapermillExecutionError")

_HEAD = late(r"(?P<type>[A-Za-z_][\w.]{0,200}) {3,}Traceback \(most recent call last\)$")
_FRAME = late(
    r"(?:Cell |Input )?(?:In ?\[\d{1,6}\]|<ipython-input-[\w-]{1,60}>)(?:, line (?P<at>\d{1,7}))?"
    r"(?:,? in (?P<within>[\w.]{1,200}|<\w{1,60}>)?.{0,300})?$"
    r"|(?:File )?(?P<file>[~/\w][^:\n]{0,500}?\.\w{1,6})(?::(?P<line>\d{1,7}))?,? in (?P<function>[\w.<>]{1,200}).*$"
)
#: The number of a cell counts what was run before, and says nothing of where the failure belongs.
_CELL = "<cell>"
_SOURCE = late(r"-{1,8}> ?(?P<line>\d{1,7}) (?P<source>.{0,500})$")
_LONGEST = 1_000
_MOST = 2_000
_MOST_FRAMES = 200


def cell_trace(lines: Sequence[Line], start: int) -> Traceback | None:
    """The traceback whose head is at `start`; None when it is none of IPython's, or its exception is not there."""
    head = _HEAD.match(lines[start].text[:_LONGEST].rstrip())
    if head is None:
        return None
    name, frames = head["type"], list[Frame]()
    for index in range(start + 1, min(start + _MOST, len(lines))):
        text = lines[index].text[:_LONGEST].rstrip()
        if text == name or text.startswith(f"{name}: "):
            return Traceback(tuple(frames), "", index, name, text[len(name) + 2 :].strip(), index + 1, False)
        if _HEAD.match(text):
            return None
        if (source := _SOURCE.match(text)) is not None and frames:
            last = frames[-1]
            frames[-1] = last._replace(line=last.line or int(source["line"]), source=source["source"].strip())
        elif (frame := _FRAME.match(text)) is not None and len(frames) < _MOST_FRAMES:
            line = int(frame["at"] or frame["line"] or 0)
            file = frame["file"] or _CELL
            frames.append(Frame(file, frame["function"] or frame["within"] or "<module>", line))
    return None
