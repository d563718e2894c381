"""The first stage: one pass of Hyperscan over a block, which says for each line which rules may match in it.

Hyperscan reports where a match ends, not where it begins, and that is enough: the line is then read with RE2.
"""

from __future__ import annotations

import re
from functools import cache

import hyperscan

from kb.failures.databases import database
from kb.private.rules import rules

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
    return database(
        "rules",
        [(index, widened(rule.pattern).encode()) for index, rule in chosen],
        flags=hyperscan.HS_FLAG_MULTILINE,
        literal=False,
    )


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
