"""Starting the program: under one pseudo-terminal where the caller has a terminal, behind pipes elsewhere."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import subprocess
import termios
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kb.capture.run.leader import Start, lead

Fork = Callable[[Callable[[], None]], int]

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
    """A running program: its process, the streams to read, and the master side of its terminal, if it has one.

    With a terminal of its own, `leader` is the process that leads its session (leader.py), and `news` is where that one
    says what becomes of the program; else the program is a child of ours, and `leader` is 0.
    """

    pid: int
    sources: list[Source]
    master: int | None = None
    typed: int | None = None
    leader: int = 0
    news: int = -1
    #: Kept, since a process that is forgotten while it runs is complained about.
    process: subprocess.Popen[bytes] | None = None


def start(argv: Sequence[str], fork: Fork, *, env: Mapping[str, str] | None = None, cwd: str | None = None) -> Child:
    """Start `argv`: each of standard output and standard error that is a terminal goes to the one pseudo-terminal.

    The others are pipes. Standard input is the pseudo-terminal when it is a terminal and one of the two is; else the
    program reads it itself. Raises OSError when the program cannot be started. `fork` runs a function in a new process
    and gives its id.
    """
    terminals = [fd for fd in (1, 2) if os.isatty(fd)]
    if not terminals:
        return _start(argv, fork, None, env=env, cwd=cwd)
    master, slave = os.openpty()
    try:
        _copy_settings(terminals[0], slave)
        copy_size(terminals[0], master)
        return _start(argv, fork, (master, slave, terminals), env=env, cwd=cwd)
    except BaseException:
        os.close(master)
        raise
    finally:
        os.close(slave)


def _start(
    argv: Sequence[str],
    fork: Fork,
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
        _widen(fd)  # what is passed on may wait in large pieces, too
    if master is not None:
        sources.insert(0, Source(master, shown[0]))
    typing = slave is not None and os.isatty(0)
    try:
        if slave is None:
            process = subprocess.Popen(list(argv), stdout=outputs[1], stderr=outputs[2], env=env, cwd=cwd)
            child = Child(process.pid, sources, process=process)
        else:
            streams = (slave if typing else None, outputs[1], outputs[2])
            what = Start(argv, streams, slave, env, cwd)
            child = _led(what, fork, sources, master, 0 if typing else None)
    finally:
        for end in ends:
            os.close(end)
    for source in sources:
        os.set_blocking(source.fd, False)
    return child


def _led(what: Start, fork: Fork, sources: list[Source], master: int | None, typed: int | None) -> Child:
    """Start the program behind a leader of its session, and wait until it says how that went."""
    news, telling = os.pipe()
    foreign = [news, *(source.fd for source in sources)]
    leader = fork(lambda: lead(what, telling, foreign))
    os.close(telling)
    said = b""
    while not said.endswith(b"\n") and (one := os.read(news, 1)):
        said += one
    word, _, rest = os.fsdecode(said.rstrip(b"\n")).partition(" ")
    if word == "started":
        os.set_blocking(news, False)
        return Child(int(rest), sources, master, typed, leader, news)
    os.close(news)
    os.waitpid(leader, 0)
    number, _, name = rest.partition(" ")
    code = int(number or errno.ECHILD)
    raise OSError(code, os.strerror(code), name or what.argv[0])


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
    """The caller's terminal, handed through to the program key by key, and given back as it was.

    As long as another job has it, it is left alone.
    """

    def __init__(self, terminal: int | None) -> None:
        """`terminal` is None where there is nothing to hand through."""
        self._terminal = terminal
        self._before = termios.tcgetattr(terminal) if terminal is not None else None
        self._entered = False

    @property
    def waiting(self) -> bool:
        """Whether the terminal is still another job's."""
        return self._terminal is not None and not self._entered

    def enter(self) -> None:
        """Make the terminal raw: keys, Ctrl-C among them, reach the program's own terminal as they are."""
        if self._terminal is None or not in_foreground(self._terminal):
            return
        self._entered = True
        self._before = termios.tcgetattr(self._terminal)
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
        if os.isatty(1):  # else another program, which reads ours, writes to the terminal
            settings[1] &= ~termios.OPOST
        settings[2] = settings[2] & ~(termios.CSIZE | termios.PARENB) | termios.CS8
        settings[3] &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
        characters = list(settings[6])
        characters[termios.VMIN], characters[termios.VTIME] = 1, 0
        settings[6] = characters
        termios.tcsetattr(self._terminal, termios.TCSADRAIN, settings)

    def leave(self) -> None:
        """Give the terminal back; a terminal that is gone is no error."""
        self._entered = False
        if self._terminal is not None and self._before is not None and in_foreground(self._terminal):
            try:
                termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)
            except termios.error:
                return


def in_foreground(terminal: int) -> bool:
    """Whether our job is the one that `terminal` listens to; so is a terminal that no job control knows."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return True
