"""The pump: from the program to the log, then to the terminal; from the keys to the program.

It runs in a process of its own and may be killed at any moment: what it holds is in shared memory (`held`), and the
watchdog starts another one, which goes on where this one stopped. The log comes before the terminal, so that everything
that was seen is in the log. When the watchdog is killed, the pump goes on alone until the program's streams end.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Sequence

from kb.capture.run.child import Child, Raw, copy_size, in_foreground
from kb.capture.run.held import Held
from kb.capture.run.log import Sink
from kb.errors import KbError

#: A step takes at least so much when it is there, and at most so much, as long as the terminal keeps up.
_SMALL, _LARGE = 1 << 16, 1 << 20
#: Room for the largest step and a line that does not end.
CAPACITY = _LARGE + (1 << 18)
#: Seconds: what a step may take to read, how fast a terminal must be to get larger ones.
_STEP, _FAST, _SLOW = 0.02, 0.03, 0.08
#: Seconds: steps of few bytes that follow each other this fast are waited for, so that they become one.
_RAPID, _PAUSE = 0.004, 0.001
_FEW = 1 << 12
#: Bytes that are shown before keys are looked at again.
_SHOWN = 1 << 14
#: The same where there are no keys. What is shown is counted after each piece.
_PASSED = 1 << 18
#: Keys that wait for a program which does not read them.
_MOST_TYPED = 1 << 20
#: After the program has ended: seconds of silence, and of what others still write to its terminal.
_SILENCE, _LONGEST_DRAIN = 0.1, 0.5
_MOST_DRAINED = 4 << 20

#: Signals for the program, which kb passes on, and what stops a job: the watchdog stops the pump, when all is shown.
_IGNORED = (
    *(signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP),
    *(signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGPIPE),
)

_END = select.POLLIN | select.POLLHUP | select.POLLERR


class Pump:
    """Moves what one program writes and is typed, until its streams end."""

    def __init__(
        self, child: Child, held: Sequence[Held], sink: Sink, *, told: int, raw: Raw, report: Callable[[str], None]
    ) -> None:
        """`told` is readable when the program has ended, and ends when the watchdog does; `report` takes problems."""
        self._child = child
        self._held = list(held)
        self._sink = sink
        self._told: int | None = told
        self._raw = raw
        self._report = report
        self._open: dict[int, int] = {
            source.fd: number for number, source in enumerate(child.sources) if source.fd >= 0
        }
        self._deaf: set[int] = set()
        self._typed = bytearray()
        self._typing = child.typed
        self._listening = False
        self._most = _SMALL
        self._number = 0
        self._logging = True
        self._state = b""
        self._ended = 0.0
        self._drained = 0
        self._resized = True
        self._rapid = 0.0

    def run(self) -> None:
        """Pump until all streams have ended, or the program has and nothing more comes."""
        self._take_over()
        self._signals()
        while self._open:
            ready = dict(self._poll())
            if self._told is not None and self._told in ready:
                self._hear()
            if self._resized:
                self._resize()
            if self._typing is not None and self._typing in ready:
                self._read_keys()
            self._write_keys()
            for fd in [fd for fd in ready if fd in self._open]:
                if ready[fd] & _END:
                    self._step(fd)
            if self._ended and self._is_drained(ready):
                break
        for fd in list(self._open):
            self._end(fd)
        self._sink.close()

    def _take_over(self) -> None:
        for held in self._held:
            held.recover()
        latest = max(self._held, key=lambda held: held.number)
        self._number = latest.number
        self._state = latest.state
        self._sink.restore(self._state)
        for fd, number in list(self._open.items()):
            if self._held[number].used:
                self._finish_step(fd, number, last=False)

    def _signals(self) -> None:
        for ignored in _IGNORED:
            signal.signal(ignored, signal.SIG_IGN)
        signal.signal(signal.SIGWINCH, self._winch)

    def _winch(self, _number: int, _frame: object) -> None:
        self._resized = True
        self._resize()

    def _resize(self) -> None:
        self._resized = False
        if self._child.master is not None:
            copy_size(self._child.sources[0].out, self._child.master)

    def _poll(self) -> list[tuple[int, int]]:
        poller = select.poll()
        for fd in self._open:
            writing = select.POLLOUT if self._typed and fd == self._child.master else 0
            poller.register(fd, select.POLLIN | writing)
        if self._told is not None:
            poller.register(self._told, select.POLLIN)
        # What is typed while another job has the terminal is not for this one.
        self._listening = self._typing is not None and in_foreground(self._typing)
        if self._typing is not None and self._listening and len(self._typed) < _MOST_TYPED:
            poller.register(self._typing, select.POLLIN)
        away = self._typing is not None and not self._listening
        return poller.poll(1000 * (_SILENCE if self._ended or away else 0) or None)

    def _hear(self) -> None:
        """The program has ended, or the watchdog has been killed."""
        assert self._told is not None
        if os.read(self._told, 1):
            self._ended = self._ended or time.monotonic()
            return
        self._told = None
        if not self._ended:
            self._typing = None
            self._raw.leave()

    def _is_drained(self, ready: dict[int, int]) -> bool:
        if not any(fd in self._open for fd in ready):
            return True
        return time.monotonic() - self._ended > _LONGEST_DRAIN and self._drained > _MOST_DRAINED

    # -- keys ------------------------------------------------------------------------------------------------------

    def _are_keys(self) -> bool:
        return self._typing is not None and self._listening and bool(select.select([self._typing], [], [], 0)[0])

    def _read_keys(self) -> None:
        assert self._typing is not None
        try:
            keys = os.read(self._typing, 4096)
        except OSError:
            if not in_foreground(self._typing):
                return
            keys = b""
        if keys:
            self._typed += keys
        else:
            self._typing = None

    def _write_keys(self) -> None:
        if not self._typed or self._child.master not in self._open:
            return
        try:
            del self._typed[: os.write(self._child.master, self._typed)]
        except BlockingIOError:
            return
        except OSError:
            self._typed.clear()

    # -- output ----------------------------------------------------------------------------------------------------

    def _step(self, fd: int) -> None:
        number = self._open[fd]
        held = self._held[number]
        begun = time.monotonic()
        if begun < self._rapid:
            time.sleep(_PAUSE)
        until = begun + _STEP
        taken = 0
        ended = False
        while taken < self._most and held.free:
            try:
                count = os.readv(fd, [held.room(self._most - taken)])
            except BlockingIOError:
                break
            except OSError:
                count = 0  # the terminal's other side is closed
            if not count:
                ended = True
                break
            held.grew(count)
            taken += count
            if taken >= _SMALL and time.monotonic() > until:
                break
        self._rapid = begun + _RAPID if taken < _FEW else 0.0
        if self._ended:
            self._drained += taken
        if taken:
            self._finish_step(fd, number, last=False)
        if ended:
            self._end(fd)

    def _finish_step(self, fd: int, number: int, *, last: bool) -> None:
        """Log what is whole, say so, and show everything. What is both logged and shown is held no longer."""
        held = self._held[number]
        data = held.data
        shown, logged = held.shown, held.logged
        logged += self._log(number, data[logged:] if logged else data, last=last)
        if self._logging:
            self._state = self._sink.state()
        self._commit(held, data, shown, logged)
        dropped = min(shown, logged)
        shown = self._show(fd, number, data[dropped:] if dropped else data, shown - dropped, last=last) + dropped
        if min(shown, logged) > dropped:
            self._commit(held, data, shown, logged)
        else:
            held.showed(shown - dropped)

    def _commit(self, held: Held, data: bytes, shown: int, logged: int) -> None:
        done = min(shown, logged)
        self._number += 1
        held.commit(data[done:], shown=shown - done, logged=logged - done, state=self._state, number=self._number)

    def _log(self, number: int, data: bytes, *, last: bool) -> int:
        if not self._logging:
            return len(data)
        try:
            return self._sink.take(number, data, last=last)
        except (OSError, KbError) as error:
            # The program goes on all the same.
            self._logging = False
            self._report(f"lost {error.strerror if isinstance(error, OSError) else error}")
            return len(data)

    def _show(self, fd: int, number: int, data: bytes, shown: int, *, last: bool) -> int:
        """Pass on what follows the first `shown` bytes; how many are shown then."""
        out = self._child.sources[number].out
        visible, done = self._sink.visible(data[shown:], last=last)
        if out not in self._deaf:
            begun = time.monotonic()
            self._pass_on(fd, out, memoryview(visible), number, shown, len(visible) == done)
            took = time.monotonic() - begun
            if took > _SLOW:
                self._most = max(_SMALL, self._most // 2)
            elif took < _FAST:
                self._most = min(_LARGE, self._most * 2)
        return shown + done

    def _pass_on(self, fd: int, out: int, data: memoryview, number: int, shown: int, exact: bool) -> None:
        at = 0
        while at < len(data):
            try:
                # Keys are looked at in between, where there are any.
                at += os.write(out, data[at : at + (_SHOWN if self._listening else _PASSED)])
            except BlockingIOError:
                select.select([], [out], [])
                continue
            except OSError:
                self._unheard(fd, out)
                return
            if exact:
                self._held[number].showed(shown + at)
            if at < len(data) and self._are_keys():
                self._read_keys()
                self._write_keys()

    def _unheard(self, fd: int, out: int) -> None:
        """Nobody reads what is passed on any more: a pipe's writer is told so, as without kb."""
        self._deaf.add(out)
        if fd != self._child.master and fd in self._open:
            self._report(f"closed {self._open.pop(fd)}")
            os.close(fd)

    def _end(self, fd: int) -> None:
        """The stream has ended: what was held back is logged as its last line."""
        number = self._open.pop(fd, None)
        if number is None:
            return
        if self._held[number].used:
            self._finish_step(fd, number, last=True)
        with contextlib.suppress(OSError):
            os.close(fd)
