"""torchrun's report (`ChildFailedError`): which rank failed first, and by which signal when it left no traceback."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.streams import Stream

NAME = "torch-elastic"
ABOUT = "torchrun: the rank that was killed without a word"
EXAMPLE = """\
Root Cause (first observed failure):
[0]:
  rank      : 1 (local_rank: 1)
  exitcode  : -9 (pid: 30856)  (SIGKILL)
  traceback : Signal 9 (SIGKILL) received by PID 30856
"""

_SECTION = re.compile(r"(?:Failures:|Root Cause \(first observed failure\):|Other Failures:)$")
_FIELD = re.compile(r"\s+(?P<name>[a-z_]+)\s*: (?P<value>.*)$")
_SIGNAL = re.compile(r"Signal (?P<number>\d+) \((?P<name>SIG\w+)\)")


def read(lines: Stream) -> Iterator[Find]:
    """One find per process that died of a signal; a rank that printed its own traceback is found there."""
    section, rank, first = "", "", 0
    for index, line in enumerate(lines):
        text = line.text
        if _SECTION.match(text.strip()):
            section, rank, first = text.strip(), "", line.number
            continue
        if not section:
            continue
        field = _FIELD.match(text)
        if field is None:
            if text.startswith("===="):
                section = ""
            continue
        if field["name"] == "rank":
            rank = field["value"].split(" ")[0]
        if field["name"] != "traceback":
            continue
        signal = _SIGNAL.search(field["value"])
        if signal is None:
            continue
        stopped = signal["name"] in ("SIGTERM", "SIGINT")
        yield Find(
            kind="signal",
            type=signal["name"],
            message=re.sub(r" by PID \d+", "", field["value"]).strip(),
            at=line,
            first=lines[max(index - 5, 0)].number if first else line.number,
            last=line.number,
            process=f"rank{rank}" if rank else "",
            reader=NAME,
            notes=(section,),
            teardown="the launcher stopped this process after another had failed" if stopped else "",
            lines={line.number},
        )
