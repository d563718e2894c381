"""The first stage: one pass of Hyperscan over a block, which says for each line which rules may match in it.

Hyperscan reports where a match ends, not where it begins, and that is enough: the line is then read with RE2. Its
database depends on the processor, takes seconds to make and a millisecond to load, so it is kept in the user's cache.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from contextlib import suppress
from functools import cache
from pathlib import Path

import hyperscan

from kb.atomic import write_bytes
from kb.private.rules import Rule, rules

_FLAGS = hyperscan.HS_FLAG_MULTILINE
#: At the end of an expression one more character decides nothing, but would be one more report.
_OPEN_END = re.compile(r"(?<!\\)(?:\?|\*|\+|\{(\d+),\d*\}|\{(\d+)\})(\)*)$")
#: A repeat that is bounded far away costs states for each step.
_BOUNDED = re.compile(r"(?<!\\)\{(\d+),(\d{1,3})\}")
_NEAR = 6


def widened(pattern: str) -> str:
    """`pattern` for the first stage: it matches in each line in which `pattern` does, with fewer states and reports."""
    return _OPEN_END.sub(_least, _BOUNDED.sub(_unbounded, pattern))


def _least(match: re.Match[str]) -> str:
    least = int(match[1] or match[2] or (1 if match[0].startswith("+") else 0))
    return (f"{{{least}}}" if least > 1 else "" if least else "{0,1}") + match[3]


def _unbounded(match: re.Match[str]) -> str:
    least, most = int(match[1]), int(match[2])
    if most <= _NEAR:
        return match[0]
    return "*" if least == 0 else "+" if least == 1 else f"{{{least},}}"


@cache
def _database(personal: bool) -> hyperscan.Database:
    chosen = [(index, rule) for index, rule in enumerate(rules()) if personal or not rule.personal]
    path = _cached(chosen)
    try:
        database = hyperscan.loadb(path.read_bytes(), mode=hyperscan.HS_MODE_BLOCK)
        database.scratch = hyperscan.Scratch(database)
        return database
    except (OSError, hyperscan.error):
        pass
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[widened(rule.pattern).encode() for _, rule in chosen],
        ids=[index for index, _ in chosen],
        elements=len(chosen),
        flags=[_FLAGS] * len(chosen),
    )
    with suppress(OSError):  # a home folder that cannot be written costs time, nothing else
        write_bytes(path, hyperscan.dumpb(database))
    return database


def _cached(chosen: list[tuple[int, Rule]]) -> Path:
    """Where the database of these rules lies; the name tells rules and processors apart, Hyperscan its own versions."""
    parts = [platform.machine(), _processor(), *(f"{at} {rule.pattern}" for at, rule in chosen)]
    name = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(folder) / "kb" / f"rules-{name}.hs"


def _processor() -> str:
    """What the processor can do, where the system tells: a database made for more would not run."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return platform.processor()


class Hits:
    """Scans blocks; reused, since Hyperscan's scratch space is costly to make."""

    def __init__(self, *, personal: bool) -> None:
        self._scan = _database(personal).scan
        self._found: list[tuple[int, int]] = []

    def lines(self, block: bytes) -> dict[int, list[int]]:
        """Of each line (by the offset of its start) in which rules may match: their indices, ascending."""
        self._scan(block, match_event_handler=self._matched)
        if not self._found:
            return {}
        found, self._found = self._found, []
        return _by_line(block, found)

    def _matched(self, rule: int, _start: int, end: int, _flags: int, _context: object) -> None:
        self._found.append((end, rule))


def _by_line(block: bytes, found: list[tuple[int, int]]) -> dict[int, list[int]]:
    found.sort()
    lines: dict[int, set[int]] = {}
    start = stop = 0
    current: set[int] = set()
    for end, rule in found:
        at = max(0, end - 1)
        if at >= stop or stop == 0:
            start = block.rfind(b"\n", 0, at) + 1
            stop = block.find(b"\n", at)
            stop = len(block) + 1 if stop < 0 else stop + 1
            current = lines.setdefault(start, set())
        current.add(rule)
    return {at: sorted(rules_of) for at, rules_of in lines.items()}
