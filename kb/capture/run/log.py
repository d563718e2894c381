"""From the bytes of a program's streams to its log: what a pump feeds, and what a new pump can go on from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Protocol

from kb.capture.run.screen import Screen
from kb.capture.run.spool import Redactor, Spool


class Sink(Protocol):
    """Where a pump takes what it reads."""

    def take(self, stream: int, data: bytes, *, last: bool) -> int:
        """Log what is finished in `data` of the stream of that number; how many bytes are done with."""

    def visible(self, data: bytes, *, last: bool) -> tuple[bytes, int]:
        """What of `data` the terminal is to get, and how many bytes of it are done with."""

    def state(self) -> bytes:
        """All that another process needs to go on, in at most 4,096 bytes."""

    def restore(self, state: bytes) -> None:
        """Go on from what `state` gave; from the beginning when it is empty."""

    def close(self) -> None:
        """The streams have ended."""


class NoLog:
    """Where nothing can be logged: the program runs, and is seen, as without kb."""

    def take(self, stream: int, data: bytes, *, last: bool) -> int:
        """Nothing is logged."""
        return len(data)

    def visible(self, data: bytes, *, last: bool) -> tuple[bytes, int]:
        """All of it, as it is."""
        return data, len(data)

    def state(self) -> bytes:
        """There is nothing to go on from."""
        return b""

    def restore(self, state: bytes) -> None:
        """There is nothing to go on from."""

    def close(self) -> None:
        """There is nothing to release."""


class CommandLog:
    """The log of one command, in the folder of its run."""

    def __init__(self, folder: Path, redactor: Redactor, streams: int) -> None:
        self._folder = folder
        self._redactor = redactor
        self._screens = [Screen() for _ in range(streams)]
        self._spool = Spool(folder, redactor)

    @property
    def lines(self) -> int:
        """How many lines were logged."""
        return self._spool.lines

    def take(self, stream: int, data: bytes, *, last: bool) -> int:
        """Log the lines that end in `data`."""
        screen = self._screens[stream]
        over = 0 if screen.alternate or screen.below else self._spool.pass_over(data)
        taken = screen.take(data[over:] if over else data, last=last)
        self._spool.add(taken)
        return over + taken.done

    def visible(self, data: bytes, *, last: bool) -> tuple[bytes, int]:
        """All of it, as it is."""
        return data, len(data)

    def state(self) -> bytes:
        """Where the log and the screens are."""
        screens = [[screen.alternate, screen.below] for screen in self._screens]
        return json.dumps([self._spool.state, screens]).encode()

    def restore(self, state: bytes) -> None:
        """Go on where another process stopped."""
        spool, screens = json.loads(state) if state else ({}, [[False, 0]] * len(self._screens))
        self._spool = Spool(self._folder, self._redactor, spool)
        self._screens = [Screen(alternate=alternate, below=below) for alternate, below in screens]

    def close(self) -> None:
        """Release the files."""
        self._spool.close()
