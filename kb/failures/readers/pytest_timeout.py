"""pytest-timeout: the stacks of all threads, printed when a test does not end; the main thread ran the test."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "pytest-timeout"
ABOUT = "pytest-timeout: tests that did not end, by the stack of the main thread"
EXAMPLE = """\
tests/test_feed.py .+++++++++++++++++++++++++++++ Timeout +++++++++++++++++++++++++++++
~~~~~~~~~~~~~~~~~~~ Stack of MainThread (139926308222784) ~~~~~~~~~~~~~~~~~~~
  File "/srv/feed/tests/test_feed.py", line 9, in test_drains
    drain(queue)
  File "/srv/feed/feed/queue.py", line 21, in drain
    sleep(0.1)
+++++++++++++++++++++++++++++++++++ Timeout +++++++++++++++++++++++++++++++++++
"""

_BANNER = re.compile(r"(?P<before>[^+\n]{0,300})\+{10,200} Timeout \+{10,200}$")
_STACK = re.compile(r"~{5,200} Stack of (?P<thread>\S.{0,200}?) \(\d{1,20}\) ~{5,200}$")
_FRAME = re.compile(r'  File "(?P<file>[^"\n]{1,1000})", line (?P<line>\d{1,9}), in (?P<function>.{1,300})$')
_MAIN = "MainThread"
_LONGEST = 2_000


def read(lines: Stream) -> Iterator[Find]:
    """One find per dump, which claims its lines; the dump of a log that was cut ends with the log."""
    index = 0
    while index < len(lines):
        if "+ Timeout +" not in lines[index].text or _BANNER.match(lines[index].text) is None:
            index += 1
            continue
        end = index + 1
        while end < len(lines) and end - index < _LONGEST and not _BANNER.match(lines[end].text):
            end += 1
        if not any(_STACK.match(line.text) for line in lines[index:end]):
            index = end
            continue
        yield _timeout(lines, index, min(end + 1, len(lines)))
        index = end + 1


def _timeout(lines: Stream, start: int, end: int) -> Find:
    frames: list[Frame] = []
    main, place = False, start
    for at in range(start, end):
        text = lines[at].text
        if stack := _STACK.match(text):
            main = stack["thread"] == _MAIN
            place = at if main else place
        elif main and (frame := _FRAME.match(text)):
            source = lines[at + 1].text.strip()[:500] if at + 1 < end else ""
            frames.append(Frame(frame["file"], frame["function"], int(frame["line"]), source))
    # The other threads were waiting for the test, or for nothing: the report is the main thread's stack.
    find = spotted(
        NAME, "error", "Timeout", "Timeout", lines[end - 1], lines[place:end], language="python", frames=tuple(frames)
    )
    find.lines |= {line.number for line in lines[start:end]}
    return find
