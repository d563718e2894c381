"""Dask: what its workers log of a task that failed, and its nannies of a worker that used too much memory."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from kb.failures.found import Find, first_said, spotted
from kb.failures.model import Frame
from kb.failures.streams import Line, Stream

NAME = "dask"
ABOUT = "Dask: tasks that failed on a worker, workers over their memory limit"
EXAMPLE = """\
2026-11-30 11:19:14,720 - distributed.worker - ERROR - Compute Failed
Key:       price-2b341e8f
State:     executing
Task:  <Task 'price-2b341e8f' price(...)>
Exception: "KeyError('vat')"
Traceback: '  File "prices.py", line 7, in price\\n    return row["vat"]\\n'
"""

_FAILED = "Compute Failed"
_FIELD = re.compile(r"(?:Key|State|Task|Function|args|kwargs|Exception|Traceback): ")
#: The exception as Python writes it, which Dask writes once more: `"KeyError('vat')"`.
_RAISED = re.compile(r"Exception: (?P<quote>[\"'])(?P<type>[A-Za-z_][\w.]{0,200})\((?P<said>.{0,4000})\)(?P=quote)$")
_FRAME = re.compile(
    r'  File "(?P<file>[^"\n]{1,1000})", line (?P<line>\d{1,7}), in (?P<function>[^\n]{1,300})'
    r"(?:\n    (?P<source>[^\n]{1,500}))?"
)
_MEMORY = re.compile(r".{0,200}?(?P<message>Worker \S{1,200} \(pid=\d{1,9}\) exceeded \d{1,3}% memory budget)\b")
_MOST_FIELDS = 12
_MOST_FRAMES = 200


def read(lines: Stream) -> Iterator[Find]:
    """One find per task that failed, and per worker that was stopped for the memory it took."""
    seen: dict[str, Find] = {}
    for index, line in enumerate(lines):
        if line.text.endswith(_FAILED):
            find = _task(lines, index)
            if find is not None:
                yield find
        elif "memory budget" in line.text and (over := _MEMORY.match(line.text)) is not None:
            find = spotted(NAME, "cluster", "OOM", over["message"], line, [line], weight=1)
            find.mild = line.level if line.level == "warning" else ""
            if first_said(seen, "OOM", find):
                yield find


def _task(lines: Stream, start: int) -> Find | None:
    """The task whose record begins at `start`, or None when its exception cannot be read there."""
    end = start + 1
    while end < min(start + _MOST_FIELDS, len(lines)) and _FIELD.match(lines[end].text):
        end += 1
    block = lines[start:end]
    at = next((line for line in block if line.text.startswith("Exception: ")), None)
    raised = _RAISED.match(at.text.rstrip()) if at is not None else None
    if at is None or raised is None:
        return None
    name = raised["type"]
    find = spotted(NAME, "exception", name, _said(name, raised["said"]), at, block, language="python")
    find.frames = tuple(_frames(block))
    return find


def _said(name: str, arguments: str) -> str:
    """The message that a traceback would show for these arguments: of a key its repr, else the one text itself."""
    try:
        value: tuple[object, ...] = ast.literal_eval(f"({arguments},)") if arguments else ()
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return arguments
    if len(value) != 1 or name == "KeyError":
        return arguments
    return str(value[0])


def _frames(block: list[Line]) -> Iterator[Frame]:
    for line in block:
        if line.text.startswith("Traceback: "):
            whole = line.text.replace("\\n", "\n")
            for place, found in enumerate(_FRAME.finditer(whole)):
                if place == _MOST_FRAMES:
                    return
                source = (found["source"] or "").strip()
                yield Frame(found["file"], found["function"], int(found["line"]), source)
