"""Work in several processes: what comes back is what one process gives, whatever happens to the others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from kb import workers
from kb.workers import done, processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
HERE = os.getpid()
UNITS = range(20)


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


@pytest.fixture(autouse=True)
def no_threads_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests of the browser leave a thread, which waits for nothing that a fork would miss."""
    others, count = threading.active_count() - 1, threading.active_count
    monkeypatch.setattr(threading, "active_count", lambda: count() - others)


def work(unit: int) -> tuple[int, str]:
    return unit, "here" if os.getpid() == HERE else "elsewhere"


def test_results_come_in_the_order_of_the_units_from_other_processes() -> None:
    assert list(done(UNITS, work)) == [(unit, "elsewhere") for unit in UNITS]


def test_a_few_units_are_done_here() -> None:
    assert list(done(range(3), work)) == [(unit, "here") for unit in range(3)]


def test_with_one_processor_or_with_other_threads_all_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        assert list(done(UNITS, work)) == [(unit, "here") for unit in UNITS]
    finally:
        end.set()
        thread.join()
    assert processes() == 2
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    assert list(done(UNITS, work)) == [(unit, "here") for unit in UNITS]


def test_where_no_more_processes_may_be_started_all_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    old, forked = os.fork, iter([True, False])

    def fork() -> int:
        if next(forked):
            return old()
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(os, "fork", fork)
    assert list(done(UNITS, work)) == [(unit, "here") for unit in UNITS]


def test_what_a_killed_process_does_not_deliver_is_done_here() -> None:
    def killed(unit: int) -> tuple[int, str]:
        if unit == 6 and os.getpid() != HERE:
            os.kill(os.getpid(), signal.SIGKILL)
        return work(unit)

    places = dict(done(UNITS, killed))
    assert list(places) == list(UNITS)
    assert {unit for unit, place in places.items() if place == "here"} == set(range(6, 20, 2))


def test_an_error_is_raised_here_after_the_results_before_it() -> None:
    def failing(unit: int) -> int:
        if unit == 7:
            raise ValueError(unit)
        return unit

    given = []
    with pytest.raises(ValueError, match="7"):
        given += done(UNITS, failing)
    results = done(UNITS, failing)
    assert [next(results) for _ in range(7)] == list(range(7))
    results.close()


def test_no_process_is_left_when_the_results_are_no_longer_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[workers._Worker] = []
    old = workers._Worker.__init__

    def noted(self: workers._Worker, *given: object) -> None:
        old(self, *given)  # type: ignore[arg-type]
        made.append(self)

    monkeypatch.setattr(workers._Worker, "__init__", noted)
    results = done(UNITS, lambda unit: unit if os.getpid() == HERE else time.sleep(60))
    results.close()
    results = done(UNITS, lambda unit: bytes(1 << 20))
    next(results)
    results.close()
    assert made
    assert not any(worker._process.is_alive() for worker in made)


def test_no_process_outlives_one_that_is_killed() -> None:
    code = (
        "import os, time\n"
        "os.sched_getaffinity = lambda _: {0, 1}\n"
        "from kb.workers import done\n"
        "results = done(range(9), lambda unit: (os.getpid(), bytes(1 << 20)))\n"
        "print(next(results)[0], next(results)[0], flush=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pids = list(map(int, process.stdout.readline().split()))
    process.kill()
    process.wait()
    process.stdout.close()
    assert len(set(pids)) == 2
    for _ in range(300):
        if not any(_runs(pid) for pid in pids):
            return
        time.sleep(0.1)
    raise AssertionError("they still run")


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
