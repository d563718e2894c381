"""The reports of torchrun, mpirun and DeepSpeed's launcher: which rank failed first, and which signal killed it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.signals import signal_name
from kb.failures.streams import Line, Stream

NAME = "torch-elastic"
ABOUT = "torchrun, mpirun and DeepSpeed: the rank that was killed without a word"
EXAMPLE = """\
Root Cause (first observed failure):
[0]:
  rank      : 1 (local_rank: 1)
  exitcode  : -9 (pid: 30856)  (SIGKILL)
  traceback : Signal 9 (SIGKILL) received by PID 30856
"""

_SECTION = re.compile(r"(?:Failures:|Root Cause \(first observed failure\):|Other Failures:)$")
_FIELD = re.compile(r"\s+(?P<name>[a-z_]+)\s*: (?P<value>.*)$")
_SIGNAL = re.compile(r"Signal (?P<number>\d{1,3}) \((?P<name>SIG\w+)\)")
#: DeepSpeed's launcher says it of the first rank that ended badly, then stops the others.
_EXITS = re.compile(
    r"\[.{0,2000}'--local_rank=(?P<rank>\d{1,6})'.{0,2000}\] exits with return code = -(?P<number>\d{1,2})$"
)
#: Open MPI's launcher says it of the rank that died first.
_NOTICED = re.compile(
    r"(?:\S{0,200}(?:mpirun|mpiexec|prterun)|[Ll]auncher) noticed that process rank (?P<rank>\d{1,6}) with PID "
    r"\d{1,10} on node \S{1,200} exited on signal (?P<number>\d{1,2})\b"
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per process that died of a signal; a rank that printed its own traceback is found there."""
    section, rank, first = "", "", 0
    for index, line in enumerate(lines):
        text = line.text
        exits = _EXITS.match(text) if "exits with return code = -" in text else None
        if exits is None and "noticed that process rank" in text:
            exits = _NOTICED.match(text)
        if exits is not None:
            yield _signalled(line, exits["rank"], int(exits["number"]))
            continue
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


def _signalled(line: Line, rank: str, number: int) -> Find:
    name = signal_name(number)
    find = spotted(NAME, "signal", name, f"Signal {number} ({name}) received", line, [line])
    find.process = f"rank{rank}"
    if name in ("SIGTERM", "SIGINT"):
        find.teardown = "the launcher, or who started it, stopped this process"
    return find
