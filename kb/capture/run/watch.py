"""The watchdog: starts the program and its pump, a new pump when that is killed, and passes on how it ended."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from kb.capture.run.child import Child, Fork, Raw, start
from kb.capture.run.held import Held
from kb.capture.run.log import Sink
from kb.capture.run.pump import CAPACITY, Pump

Report = Callable[[str], None]

#: A pump that is killed again and again is not started for ever; without one the program is waited for all the same.
_MOST_PUMPS = 100
#: Seconds after which it is looked again whether the terminal is ours by now.
_ANOTHER_JOB = 0.2
_FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


@dataclass(frozen=True)
class Ended:
    """How a program ended: its exit status, or the signal that killed it. `lost` says why its log is not whole."""

    exit: int | None
    signal: int | None
    lost: str = ""


@dataclass
class Watch:
    """One program under watch. `fork` runs a function in a new process and gives its id; it never returns there.

    `prepare` runs once the program is started, before anything is read from it, `meanwhile` right after. `sink` makes
    what takes the streams (it is told how many there are, and where to report); `heard` gets each line of its reports.
    `alone` runs in the pump when the watchdog was killed and the program has ended.
    """

    argv: Sequence[str]
    sink: Callable[[int, Report], Sink]
    fork: Fork
    env: Mapping[str, str] | None = None
    heard: Callable[[str], None] = field(default=lambda line: None)
    alone: Callable[[], None] = field(default=lambda: None)
    prepare: Callable[[], None] = field(default=lambda: None)
    meanwhile: Callable[[], None] = field(default=lambda: None)

    def run(self) -> Ended:
        """Start the program and wait for it. Raises OSError when it cannot be started."""
        child = start(self.argv, self.fork, env=self.env)
        self._set_up(child)
        with self._signals() as woken:
            self._raw.enter()
            try:
                self._begin(child)
                self._loop(woken)
            finally:
                self._raw.leave()
        os.close(self._reporting)
        self._hear(last=True)
        os.close(self._reports)
        assert self._status is not None
        code = os.waitstatus_to_exitcode(self._status)
        return Ended(code if code >= 0 else None, -code if code < 0 else None, self._lost)

    def _set_up(self, child: Child) -> None:
        self._child = child
        self._held = [Held(CAPACITY) for _ in child.sources]
        self._raw = Raw(child.typed)
        self._pump = 0
        self._pumps = 0
        self._status: int | None = None
        self._lost = ""
        self._rest = b""
        self._news = b""
        self._said: int | None = None
        self._reports, self._reporting = os.pipe()

    def _begin(self, child: Child) -> None:
        """Make ready what the pump needs, while the program starts. The program does not outlive an error."""
        try:
            self.prepare()
            self._start_pump()
            self.meanwhile()
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)
            os.waitpid(child.leader or child.pid, 0)
            raise

    def _loop(self, woken: int) -> None:
        while True:
            self._reap()
            if self._status is not None and not self._pump:
                return
            heard = [woken, self._reports, *([self._child.news] if self._child.news >= 0 else [])]
            ready, _, _ = select.select(heard, [], [], _ANOTHER_JOB if self._raw.waiting else None)
            if self._raw.waiting:
                self._raw.enter()
            if woken in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(woken, 4096)
            if self._reports in ready:
                self._hear()

    def _reap(self) -> None:
        """See who has ended."""
        if self._status is None:
            self._status = self._end()
            if self._status is not None:
                self._tell()
        if self._pump:
            ended, status = os.waitpid(self._pump, os.WNOHANG)
            if ended:
                self._pump = 0
                os.close(self._telling)
                if status and self._pumps < _MOST_PUMPS:
                    self._start_pump()
                elif status:
                    self._lost = "its recorder was killed too often"
                    self._hang_up()

    def _end(self) -> int | None:
        """How the program ended, as `waitpid` gives it; None while it has not."""
        child = self._child
        if child.process is not None:
            ended, status = os.waitpid(child.pid, os.WNOHANG)
            if not ended:
                return None
            child.process.returncode = os.waitstatus_to_exitcode(status)
            return status
        with contextlib.suppress(BlockingIOError):
            while data := os.read(child.news, 4096):
                self._news += data
                *lines, self._news = self._news.split(b"\n")
                for line in lines:
                    if line == b"stopped":
                        self._suspend()
                    elif line.startswith(b"ended "):
                        self._said = int(line[6:])
            # The leader says no more: it has ended, or it was killed.
            _, status = os.waitpid(child.leader, 0)
            os.close(child.news)
            child.news = -1
            return status if self._said is None else self._said
        return None

    def _suspend(self) -> None:
        """The program was stopped: show what it wrote, give the terminal back, and stop, as a job does in a shell."""
        self._settle()
        self._raw.leave()
        if self._pump:
            os.kill(self._pump, signal.SIGSTOP)
        handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(0, signal.SIGTSTP)  # returns when the job is continued; at once where there is nobody to do that
        signal.signal(signal.SIGTSTP, handler)
        if self._pump:
            os.kill(self._pump, signal.SIGCONT)
            os.kill(self._pump, signal.SIGWINCH)
        self._raw.enter()
        os.kill(self._child.leader, signal.SIGCONT)

    def _settle(self) -> None:
        """Wait until the pump has read what there is, for a few seconds at most: it may still be starting."""
        for _ in range(200):
            time.sleep(0.02)
            waiting = [source.fd for source in self._child.sources if source.fd >= 0]
            if not select.select(waiting, [], [], 0)[0]:
                return

    def _hang_up(self) -> None:
        """Without a pump nobody reads what the program writes: it is told so, instead of waiting for ever."""
        for number in range(len(self._child.sources)):
            self._close(number)

    def _close(self, number: int) -> None:
        source = self._child.sources[number]
        if source.fd >= 0:
            os.close(source.fd)
            source.fd = -1

    def _start_pump(self) -> None:
        told, self._telling = os.pipe()
        self._pumps += 1
        self._pump = self.fork(lambda: self._pumping(told))
        os.close(told)
        if self._status is not None:
            self._tell()

    def _tell(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._telling, b"e")

    def _pumping(self, told: int) -> None:
        os.close(self._telling)
        os.close(self._reports)
        watchdog = os.getppid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        sink = self.sink(len(self._child.sources), self._report)
        pump = Pump(self._child, self._held, sink, told=told, raw=self._raw, report=self._report)
        pump.run()
        if os.getppid() != watchdog:
            self.alone()

    def _report(self, line: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self._reporting, line.replace("\n", " ").encode("utf-8", "replace")[:4000] + b"\n")

    def _hear(self, *, last: bool = False) -> None:
        while True:
            data = os.read(self._reports, 65536)
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                text = line.decode("utf-8", "replace")
                if text.startswith("lost "):
                    self._lost = text[5:]
                elif text.startswith("closed "):
                    self._close(int(text[7:]))
                else:
                    self.heard(text)
            if not data or not last:
                return

    @contextmanager
    def _signals(self) -> Iterator[int]:
        """Pass signals on to the program, and wake the loop when a child ends; the descriptor that then is readable."""
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        before = {number: signal.signal(number, self._forward) for number in _FORWARDED}
        if self._child.leader:
            before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._forward)
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda number, frame: None)
        wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        try:
            yield reading
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(reading)
            os.close(writing)

    def _forward(self, number: int, _frame: object) -> None:
        # Without a terminal of its own the program is in our process group, and gets what is typed from the system.
        typed = number in (signal.SIGINT, signal.SIGQUIT) and not self._child.leader and _has_terminal()
        if self._status is None and not typed:
            with contextlib.suppress(OSError):
                os.kill(self._child.pid, number)


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True
