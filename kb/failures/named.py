"""Which failure a symptom speaks of: it may name the rank, the worker, the container or the process id that failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from kb.failures.found import Find

_LONGEST = 2000
_MOST = 64


@cache
def _numbered() -> re.Pattern[str]:
    """A word for one of several alike, and its number: `rank 1`, `Worker_TP1`, `pid=77`, `local_rank: 3`."""
    return re.compile(r"(?P<word>[A-Za-z]{2,20})(?:[ _=:#-]{0,2}|\(s\) |\(pid\(s\) )(?P<number>\d{1,9})(?!\d)")


def named(symptom: Find, roots: Sequence[Find]) -> Find | None:
    """The one of `roots` whose process `symptom` names, or None when it names none or more than one."""
    words = symptom.message[:_LONGEST]
    hits = [root for root in roots[:_MOST] if root is not symptom and _speaks_of(words, root)]
    processes = {root.process or root.at.process for root in hits}
    return hits[0] if len(processes) == 1 else None


def _speaks_of(words: str, root: Find) -> bool:
    label = root.process or root.at.process
    if len(label) > 2 and not label.isdigit() and re.search(rf"(?<![\w.-]){re.escape(label)}(?![\w-])", words):
        return True
    return bool(_numbers(words) & _own_numbers(label, root.at.key))


def _numbers(words: str) -> set[tuple[str, str]]:
    return {(match["word"].lower(), match["number"]) for match in _numbered().finditer(words)}


def _own_numbers(label: str, key: str) -> set[tuple[str, str]]:
    """What a root's process may be called: its label's word and number, and its process id."""
    own = {pair for pair in _numbers(label) if pair[0] != "pid"}
    pid = key[:-1].rpartition("|")[2].removeprefix("pid=") if key else ""
    return own | ({("pid", pid)} if pid.isdigit() else set())
