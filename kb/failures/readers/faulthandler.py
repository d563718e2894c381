"""Python's faulthandler: `Fatal Python error: …` with the stacks of its threads, innermost frame first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "faulthandler"
ABOUT = "Crashes of the Python process itself, as faulthandler dumps them"
EXAMPLE = """\
Fatal Python error: Segmentation fault

Current thread 0x00007f5a08572140 (most recent call first):
  File "attention.py", line 2 in read_block
  File "attention.py", line 3 in <module>
"""

_FATAL = re.compile(
    r"(?P<type>Fatal Python error): (?P<message>.+)$|(?P<timeout>Timeout) \(\d+:\d\d:\d\d(?:\.\d+)?\)!$"
)
_FRAME = re.compile(r'\s*File "(?P<file>[^"]{1,4096})", line (?P<line>\d{1,9}|\?\?\?)(?: in (?P<function>.*))?$')
_THREAD = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]+")


def read(lines: Stream) -> Iterator[Find]:
    """Every fatal error and dump after a timeout; the crashing thread's frames are turned to run outermost first."""
    for index, line in enumerate(lines):
        match = _FATAL.search(line.text) if "Fatal Python error" in line.text or "Timeout (" in line.text else None
        if match is None:
            continue
        end, frames = _stack(lines, index + 1)
        yield Find(
            kind="crash",
            type=match["type"] or match["timeout"],
            # How long it waited is a setting, not a part of the failure.
            message=match["message"].strip() if match["type"] else "no progress; faulthandler dumped the stacks",
            at=line,
            first=line.number,
            last=lines[end - 1].number,
            language="python",
            frames=tuple(reversed(frames)),
            process=line.process,
            reader=NAME,
            lines={ln.number for ln in lines[index:end]},
        )


def _stack(lines: Stream, start: int) -> tuple[int, list[Frame]]:
    """The end of the dump, and the frames of its current thread (the first stack when none is marked)."""
    frames: list[Frame] = []
    index, stacks = start, 0
    current_only = False
    while index < len(lines) and index - start < 20000:
        text = lines[index].text
        match = _FRAME.match(text)
        if match:
            if stacks <= 1 or not current_only:
                number = int(match["line"]) if match["line"].isdigit() else 0
                frames.append(Frame(match["file"], (match["function"] or "").strip(), number))
        elif _THREAD.match(text.strip()):
            stacks += 1
            if text.strip().startswith("Current thread"):
                current_only, stacks, frames = True, 1, []
            elif not current_only and frames:
                current_only = True
        elif text.strip() and not text.startswith((" ", "Python runtime state", "Extension modules")):
            break
        index += 1
    while index > start and not lines[index - 1].text.strip():
        index -= 1
    return index, frames[:500]
