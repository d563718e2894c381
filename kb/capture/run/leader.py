"""The process that leads a program's terminal session, as a shell does, so that the program can be suspended.

The system drops the signal of Ctrl-Z for a program whose parent is of another session: nobody could continue it. So a
process stands between kb and the program. It starts the program in a group of its own, in the foreground of the
terminal, and says in lines what becomes of it: `started PID` or `failed ERRNO FILE`, `stopped`, `ended STATUS` (as
`waitpid` gives it). Told to continue, it continues the program.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple


class Start(NamedTuple):
    """What to start: its words, its standard streams, the side of the terminal that is the program's."""

    argv: Sequence[str]
    streams: tuple[int | None, int, int]
    terminal: int
    env: Mapping[str, str] | None
    cwd: str | None


def lead(start: Start, telling: int, foreign: Sequence[int]) -> None:
    """Lead a new session until the program has ended. `foreign` are the descriptors that are kb's own."""
    os.setsid()
    fcntl.ioctl(start.terminal, termios.TIOCSCTTY, 0)
    for fd in foreign:
        os.close(fd)
    for number in (signal.SIGTTOU, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    try:
        process = _started(start)
    except OSError as error:
        _tell(telling, f"failed {error.errno or 0} {error.filename or ''}")
        return
    signal.signal(signal.SIGCONT, lambda number, frame: _continue(process.pid))
    _let_go(start)
    _tell(telling, f"started {process.pid}")
    while True:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            break
        _tell(telling, "stopped")
    process.returncode = os.waitstatus_to_exitcode(status)
    _tell(telling, f"ended {status}")


def _started(start: Start) -> subprocess.Popen[bytes]:
    typed, out, err = start.streams
    return subprocess.Popen(
        list(start.argv),
        stdin=typed,
        stdout=out,
        stderr=err,
        env=start.env,
        cwd=start.cwd,
        preexec_fn=_to_foreground(start.terminal),  # noqa: PLW1509 - kb has no threads
    )


def _to_foreground(terminal: int) -> Callable[[], None]:
    def take() -> None:
        # Runs between fork and exec: what is typed goes to the program's group, and may stop it.
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(terminal, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)

    return take


def _let_go(start: Start) -> None:
    """Hold none of the program's streams, nor those of kb: who reads them waits until all have let go."""
    for fd in {start.terminal, *start.streams} - {None, 0, 1, 2}:
        os.close(fd or 0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.close(nothing)


def _continue(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGCONT)


def _tell(telling: int, line: str) -> None:
    with suppress(OSError):
        os.write(telling, os.fsencode(line) + b"\n")
