"""How much work a reader does, as a count that is the same on every machine: calls, and lines looked at."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NamedTuple, TypeVar

from kb.failures.registry import Reader
from kb.failures.streams import Line, split_streams

Result = TypeVar("Result")


class Counted(list[Line]):
    """A stream that counts the lines taken from it, those of slices included."""

    visits = 0

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        self.visits += len(found) if isinstance(at, slice) else 1
        return found

    def __iter__(self) -> Iterator[Line]:
        for line in super().__iter__():
            self.visits += 1
            yield line


class Hostile(NamedTuple):
    """A log of any length: the first half repeats `first`, the second half `then` (the same where that is empty)."""

    name: str
    first: list[str]
    then: list[str]

    def lines(self, size: int) -> list[str]:
        """This log with `size` lines."""
        half = size // 2
        then = self.then or self.first
        return (self.first * half)[:half] + (then * half)[: size - half]


def hostile(example: str) -> Iterator[Hostile]:
    """Logs made of a report: of the whole, of each line, of each head, of each tail, of heads and then of tails."""
    lines = example.strip("\n").split("\n")
    yield Hostile("whole", lines, [])
    for at in range(1, min(len(lines), 16)):
        yield Hostile(f"line {at}", [lines[at - 1]], [])
        yield Hostile(f"head of {at}", lines[:at], [])
        yield Hostile(f"tail from {at + 1}", lines[at:], [])
        if at < 6:
            yield Hostile(f"heads of {at}, then tails", lines[:at], lines[at:])


def calls(work: Callable[[], Result]) -> tuple[int, Result]:
    """How many calls `work` makes, and what it gives."""
    done = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal done
        done += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        given = work()
    finally:
        sys.setprofile(before)
    return done, given


def operations(reader: Reader, log: Hostile, size: int) -> int:
    """Calls made and lines looked at while `reader` reads `log` at `size` lines, and what it claims."""
    done = 0
    for stream in split_streams(log.lines(size)):
        counted = Counted(stream)
        made, claimed = calls(lambda lines=counted: sum(len(f.lines) + len(f.frames) for f in reader.read(lines)))  # type: ignore[misc]
        done += made + counted.visits + claimed
    return done
