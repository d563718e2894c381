"""Starting the program: under one pseudo-terminal where the caller has a terminal, behind pipes elsewhere."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

#: A larger pipe means fewer switches between the program and its reader (Linux; elsewhere the system's size stays).
_PIPE = 1 << 20
_SIZE = struct.Struct("HHHH")


@dataclass
class Source:
    """A stream that the program writes: where to read it, and the descriptor that it is passed on to."""

    fd: int
    out: int


@dataclass
class Child:
    """A running program: its process, the streams to read, and the master side of its terminal, if it has one."""

    process: subprocess.Popen[bytes]
    sources: list[Source]
    master: int | None = None
    typed: int | None = None
    own_session: bool = field(default=False)


def start(argv: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str | None = None) -> Child:
    """Start `argv`: each of standard output and standard error that is a terminal goes to the one pseudo-terminal.

    The others are pipes. Standard input is the pseudo-terminal when it is a terminal and one of the two is; else the
    program reads it itself. Raises OSError when the program cannot be started.
    """
    terminals = [fd for fd in (1, 2) if os.isatty(fd)]
    if not terminals:
        return _start(argv, None, env=env, cwd=cwd)
    master, slave = os.openpty()
    try:
        _copy_settings(terminals[0], slave)
        copy_size(terminals[0], master)
        return _start(argv, (master, slave, terminals), env=env, cwd=cwd)
    except BaseException:
        os.close(master)
        raise
    finally:
        os.close(slave)


def _start(
    argv: Sequence[str],
    terminal: tuple[int, int, list[int]] | None,
    *,
    env: Mapping[str, str] | None,
    cwd: str | None,
) -> Child:
    sources: list[Source] = []
    ends: list[int] = []
    outputs: dict[int, int] = {}
    master, slave, shown = terminal or (None, None, [])
    for fd in (1, 2):
        if fd in shown and slave is not None:
            outputs[fd] = slave
            continue
        reading, writing = os.pipe()
        _widen(writing)
        outputs[fd] = writing
        ends.append(writing)
        sources.append(Source(reading, fd))
    if master is not None:
        sources.insert(0, Source(master, shown[0]))
    typing = slave is not None and os.isatty(0)
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=slave if typing else None,
            stdout=outputs[1],
            stderr=outputs[2],
            env=env,
            cwd=cwd,
            start_new_session=slave is not None,
            preexec_fn=_controlling(slave) if slave is not None else None,  # noqa: PLW1509 - kb has no threads
        )
    finally:
        for end in ends:
            os.close(end)
    for source in sources:
        os.set_blocking(source.fd, False)
    return Child(process, sources, master, 0 if typing else None, slave is not None)


def _controlling(slave: int) -> Callable[[], None]:
    def take() -> None:
        # Runs between fork and exec, in the new session: the terminal becomes the one that Ctrl-C comes from.
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    return take


def _widen(pipe: int) -> None:
    size = getattr(fcntl, "F_SETPIPE_SZ", None)
    if size is not None:
        try:
            fcntl.fcntl(pipe, size, _PIPE)
        except OSError:
            return  # the system's limit is lower


def _copy_settings(terminal: int, slave: int) -> None:
    """Make the new terminal behave as the old one does."""
    termios.tcsetattr(slave, termios.TCSANOW, termios.tcgetattr(terminal))


def copy_size(terminal: int, master: int) -> tuple[int, int]:
    """Give the pseudo-terminal the size of `terminal`; returns its columns and lines (0 when it has none)."""
    try:
        packed = fcntl.ioctl(terminal, termios.TIOCGWINSZ, bytes(_SIZE.size))
        fcntl.ioctl(master, termios.TIOCSWINSZ, packed)
    except OSError:
        return 0, 0
    lines, columns, _, _ = _SIZE.unpack(packed)
    return columns, lines


class Raw:
    """The caller's terminal, handed through to the program key by key, and given back as it was."""

    def __init__(self, terminal: int | None) -> None:
        """`terminal` is None where there is nothing to hand through."""
        self._terminal = terminal
        self._before = termios.tcgetattr(terminal) if terminal is not None else None

    def enter(self) -> None:
        """Make the terminal raw: keys, Ctrl-C among them, reach the program's own terminal as they are."""
        if self._terminal is None or self._before is None:
            return
        settings = list(self._before)
        settings[0] &= ~(
            termios.IGNBRK
            | termios.BRKINT
            | termios.PARMRK
            | termios.ISTRIP
            | termios.INLCR
            | termios.IGNCR
            | termios.ICRNL
            | termios.IXON
        )
        settings[1] &= ~termios.OPOST
        settings[2] = settings[2] & ~(termios.CSIZE | termios.PARENB) | termios.CS8
        settings[3] &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
        characters = list(settings[6])
        characters[termios.VMIN], characters[termios.VTIME] = 1, 0
        settings[6] = characters
        termios.tcsetattr(self._terminal, termios.TCSADRAIN, settings)

    def leave(self) -> None:
        """Give the terminal back; a terminal that is gone is no error."""
        if self._terminal is not None and self._before is not None:
            try:
                termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)
            except termios.error:
                return
