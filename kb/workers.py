"""Work that is cut into units, done in as many processes as there are processors, where the system can fork.

A process that is forked knows all that this one knew, so nothing is sent to it; it only sends results. What one of them
does not deliver, whatever happened to it, is done here: nothing depends on them but time, and an error comes up where
it can be told.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: With fewer units it is not worth it; with more processes, this one cannot keep up with what they send.
_FEWEST = 4
_MOST = 4

Unit = TypeVar("Unit")
Result = TypeVar("Result")


def done(units: Sequence[Unit], work: Callable[[Unit], Result]) -> Generator[Result]:
    """What `work` gives for each unit, in their order."""
    count = processes() if len(units) >= _FEWEST else 1
    workers = _started(units, work, count) if count > 1 else []
    try:
        for at, unit in enumerate(units):
            sent = workers[at % count].received() if workers else None
            yield work(unit) if sent is None else pickle.loads(sent)  # noqa: S301
    finally:
        _stop(workers)


def processes() -> int:
    """How many processes work is done in: one where this one has other threads, which a fork would leave behind."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return min(len(os.sched_getaffinity(0)), _MOST)


def _started(units: Sequence[Unit], work: Callable[[Unit], Result], count: int) -> list[_Worker]:
    """So many processes, each with its share of the units; none where the system lets no more be started."""
    workers: list[_Worker] = []
    try:
        for at in range(count):
            workers.append(_Worker(units[at::count], work))  # noqa: PERF401  those before an error are ended
    except (OSError, AssertionError):  # the latter in a process of multiprocessing that may have none of its own
        _stop(workers)
        return []
    except BaseException:
        _stop(workers)
        raise
    return workers


def _stop(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        worker.stop()


class _Worker:
    """A process that does its units one after the other; it waits until each result is received."""

    def __init__(self, units: Sequence[Unit], work: Callable[[Unit], Result]) -> None:
        import multiprocessing  # only large builds need it

        forking = multiprocessing.get_context("fork")
        self._results, sending = forking.Pipe(duplex=False)
        with closing(sending):
            self._process = forking.Process(target=_work, args=(units, work, sending, self._results), daemon=True)
            self._process.start()

    def received(self) -> bytes | None:
        """The next result, pickled; None when it will not come."""
        try:
            return self._results.recv_bytes()
        except (EOFError, OSError):
            return None

    def stop(self) -> None:
        """End it, whatever it does."""
        self._results.close()
        self._process.kill()
        self._process.join()


def _work(units: Sequence[Unit], work: Callable[[Unit], Result], sending: Connection, receiving: Connection) -> None:
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process gets it as well, and ends this one
        receiving.close()  # so that nobody is left to receive anything when the other process was killed
        for unit in units:
            sending.send_bytes(pickle.dumps(work(unit), pickle.HIGHEST_PROTOCOL))
    except BaseException:  # noqa: BLE001, S110
        pass  # the other process does what is missing, and tells what is wrong
