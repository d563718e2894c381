"""Memory that outlives its process: after a kill, every byte that was read is still there, once."""

from __future__ import annotations

import os
import signal

from kb.capture.run.held import Held


def in_killed_process(held: Held, work) -> None:  # type: ignore[no-untyped-def]
    process = os.fork()
    if not process:
        work()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(process, 0)


def read_into(held: Held, data: bytes) -> None:
    held.room(len(data))[:] = data


def test_what_was_committed_is_there_after_a_kill() -> None:
    held = Held(1000)

    def work() -> None:
        read_into(held, b"abc")
        held.grew(3)
        held.commit(b"c", shown=1, logged=0, state=b"state", number=7)

    in_killed_process(held, work)
    held.recover()
    assert (held.data, held.shown, held.state, held.number) == (b"c", 1, b"state", 7)


def test_what_was_read_but_not_counted_is_found() -> None:
    held = Held(1000)

    def work() -> None:
        read_into(held, b"abc")
        held.grew(3)
        read_into(held, b"defg")

    in_killed_process(held, work)
    held.recover()
    assert held.data == b"abcdefg"


def test_a_slot_that_was_used_before_leaves_nothing_behind() -> None:
    held = Held(100_000)
    for number in range(1, 6):
        read_into(held, b"x" * 90_000)
        held.grew(90_000)
        held.commit(b"rest", shown=4, logged=0, state=b"", number=number)
        held.recover()
        assert held.data == b"rest"
        held.commit(b"", shown=0, logged=0, state=b"", number=number)
