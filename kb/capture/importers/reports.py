"""The failed tests of a report as pytest prints them, so that they are read like its output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_MOST = 40
_WIDTH = 70


class FailedTest(NamedTuple):
    """A test that failed: its name, what it printed of that, and what it captured."""

    name: str
    text: str
    captured: tuple[tuple[str, str], ...] = ()


def printed(failed: Sequence[FailedTest], counts: dict[str, int]) -> str:
    """The failed tests and the counts of all, as lines; of very many the first ones."""
    lines: list[str] = []
    if failed:
        lines.append(" FAILURES ".center(_WIDTH, "="))
    for test in failed[:_MOST]:
        lines += [f" {test.name} ".center(_WIDTH, "_"), "", test.text.rstrip("\n")]
        for name, text in test.captured:
            if text.strip():
                lines += [f" {name} ".center(_WIDTH, "-"), text.rstrip("\n")]
    if len(failed) > _MOST:
        lines.append(f"[... {len(failed) - _MOST} more tests that failed left out ...]")
    said = ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "no test"
    return "\n".join([*lines, f" {said} ".center(_WIDTH, "=")]) + "\n"
