"""The Linux OOM killer: which process was killed, and by which limit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.streams import Line, Stream

NAME = "oom"
ABOUT = "Linux OOM killer, of the machine and of memory cgroups"
EXAMPLE = """\
[ 9210.118200] indexer invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0
[ 9210.118244] Tasks state (memory values in pages):
[ 9210.118265] Out of memory: Killed process 4100 (indexer) total-vm:9120044kB, anon-rss:8011020kB, file-rss:0kB
"""

_INVOKED = re.compile(r"(?P<message>(?P<name>\S.{0,63}?) invoked oom-killer): ")
_KILLED = re.compile(
    r"(?P<why>Out of memory(?: \([\w ]+\))?|Memory cgroup out of memory|Shmem out of memory): "
    r"Kill(?:ed)? process (?P<pid>\d+) ?,? ?\((?P<name>[^)]{1,64})\)"
)
_BARE = re.compile(r"Killed process (?P<pid>\d+),? ?(?:\(|UID \d+, \()(?P<name>[^)]{1,64})\)")
_AFTER = re.compile(
    r"oom_reaper: reaped process|Out of memory and no killable processes|Tasks in .{1,200} are going to be killed"
)
#: A machine with thousands of tasks lists them all between the two lines that matter.
_LONGEST = 20_000


def read(lines: Stream) -> Iterator[Find]:
    """One find per kill; its span begins where the killer was called."""
    invoked: int | None = None
    last: Find | None = None
    for index, line in enumerate(lines):
        text = line.text[:1000]
        if _INVOKED.match(text):
            if invoked is not None:
                yield _find(lines, invoked, invoked, _INVOKED)
            invoked = index
        elif match := _KILLED.match(text):
            start = invoked if invoked is not None and index - invoked < _LONGEST else index
            last = _find(lines, start, index, _KILLED)
            last.message = f"{match['why']}: Killed process {match['pid']} ({match['name']})"
            yield last
            invoked = None
        elif last is not None and (_BARE.match(text) or _AFTER.match(text)) and line.number - last.last < 8:
            # Older kernels decide in one line and kill in the next.
            last.last = line.number
            last.lines.add(line.number)
    if invoked is not None:
        yield _find(lines, invoked, invoked, _INVOKED)


def _find(lines: Stream, start: int, at: int, expression: re.Pattern[str]) -> Find:
    line: Line = lines[at]
    match = expression.match(line.text[:1000])
    return Find(
        kind="kernel",
        type="OOM",
        message=(match.groupdict().get("message") or match[0]) if match else line.text,
        at=line,
        first=lines[start].number,
        last=line.number,
        process=line.process,
        reader=NAME,
        lines={ln.number for ln in lines[start : at + 1]},
    )
