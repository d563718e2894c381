"""A launcher that starts all workers anew: what ended an attempt that a later one got past did not end the job."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.failures.found import Find
from kb.failures.roles import judge
from kb.failures.streams import Stream

_ASIDE = "it ended an attempt that was started again, and a later attempt failed otherwise"
#: torchrun says it once an attempt, of the worker that failed first.
_ENDED = re.compile(r"failed \(exitcode: -?\d{1,5}\) local_rank: \d")


def in_last_attempt(streams: Sequence[Stream], finds: list[Find]) -> None:
    """Sets aside the root failures of all attempts but the last, where the last shows one of its own.

    A failure that is in the last attempt too stays what it was: then no attempt got past it.
    """
    ends = sorted(line.number for stream in streams for line in stream if _ENDED.match(line.text.lstrip()))
    if len(ends) < 2:
        return
    judged, _ = judge(finds)
    roots = [j.find for j in judged if j.role == "root"]
    last = [find for find in roots if ends[-2] < find.at.number < ends[-1]]
    again = {_what(find) for find in last}
    for find in roots if last else ():
        if find.at.number < ends[-2] and _what(find) not in again:
            find.aside = _ASIDE


def _what(find: Find) -> tuple[str, str]:
    return find.type, find.message.split("\n", 1)[0]
