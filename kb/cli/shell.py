"""`kb shell`: a whole interactive shell, recorded command by command."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.capture.terminal import VARIABLE as _INSIDE
from kb.capture.terminal import terminal_key
from kb.cli.forking import fork
from kb.cli.recording import keep_start, recording_home, recover_all, redactor_of, ring_of, session_of
from kb.cli.terminal import note
from kb.errors import KbError, UsageError
from kb.home import Home, find_home, here, read_home

if TYPE_CHECKING:
    from collections.abc import Callable

    from kb.capture.run.ring import Ring, Run
    from kb.capture.run.watch import Ended
    from kb.capture.shell.recorder import ShellLog

#: What only looks around is kept for `kb promote`, but does not go into a session's record by itself.
_ASIDE = frozenset(
    ["cd", "pushd", "popd", "pwd", "clear", "reset", "history", "jobs", "fg", "bg", "exit", "logout", "man", "which"]
)


@click.command(short_help="A shell in which every command is recorded.")
@click.option("--shell", metavar="SHELL", help="The shell to start (default: $SHELL): bash, zsh, fish, or another.")
@click.option("--marks", is_flag=True, help="Use the marks that the shell prints already (OSC 133, OSC 633).")
@click.option("--session", "named", metavar="ID", help="The session it belongs to (default: the one open here).")
@click.pass_context
def command(ctx: click.Context, shell: str | None, marks: bool, named: str | None) -> None:
    """A shell in which every command is recorded.

    Your own shell with its start-up files; each command is kept with what it printed, its exit status and its folder,
    without secrets. In a session the commands go into its record as they end; outside one they are kept for a while,
    and `kb promote` makes a session of them. `kb note`, `kb diagnose` and `kb fix` work inside.

    A line that begins with a space is not recorded, nor is what is typed at a password prompt. bash, zsh and fish are
    marked by kb itself; another shell needs an integration that prints OSC 133 or OSC 633 marks.

    \b
    Examples:
      kb shell
      kb shell --shell zsh
      kb promote --last 40m

    Exit status: that of the shell; 64 when there is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("a shell needs a terminal", hint="`kb run -- COMMAND` records a single command anywhere")
    if os.environ.get(_INSIDE):
        raise UsageError("this shell is being recorded already", hint="`exit` ends it")
    home = recording_home(ctx)
    path = shutil.which(shell or os.environ.get("SHELL") or "sh")
    if path is None:
        raise UsageError(f"there is no shell {shell}", hint="name one that is on the PATH")
    recover_all(home)
    with tempfile.TemporaryDirectory(prefix="kb-shell-") as folder:
        recording = _Shell(home, named or "")
        ended = recording.run(path, Path(folder), own_marks=not marks)
    if ended.lost:
        note(f"the shell is not recorded whole: {ended.lost}")
    recording.say_end()
    sys.exit(ended.exit if ended.signal is None else 128 + ended.signal)


class _Shell:
    """A shell being recorded."""

    def __init__(self, home: Home | None, named: str) -> None:
        self._home = home
        self._named = named
        self._session = session_of(home, named)
        # Inside, sessions are told apart by the terminal that the shell was started in.
        os.environ[_INSIDE] = self._terminal = terminal_key() or f"shell {os.getpid()}"
        self._ring = ring_of(home)
        self._filed: set[str] = set()
        self._homes: dict[Path, Home] = {}
        self._count = 0
        self._problems: list[str] = []

    def run(self, path: str, folder: Path, *, own_marks: bool) -> Ended:
        """Run the shell at `path` to its end."""
        from kb.capture.run.watch import Watch
        from kb.capture.shell.start import shell_start

        nonce = secrets.token_hex(16) if own_marks else ""
        start = shell_start(path, nonce, folder, os.environ)
        self._nonce = nonce if start.marked else ""
        note(f"recording {os.path.basename(path)}{f' in {self._session}' if self._session else ''}; `exit` ends it")
        watch = Watch(
            start.argv, self._sink, fork, env=start.env, heard=self._heard, prepare=self._prepare, meanwhile=_warm_up
        )
        return watch.run()

    def say_end(self) -> None:
        """What was recorded, and what to do with it."""
        for home in self._homes.values():
            recover_all(home)
        commands = f"{self._count} command" + ("" if self._count == 1 else "s")
        if self._filed:
            note(f"recorded {commands}; in {', '.join(sorted(self._filed))}")
        elif self._count:
            note(f"recorded {commands}; `kb promote` makes a session of them")
        for problem in self._problems[:3]:
            note(f"kept, but not in the session: {problem}")
        self._ring.prune()

    def _prepare(self) -> None:
        self._redactor = redactor_of(self._home, self._session, self._ring)

    def _sink(self, _streams: int, report: Callable[[str], None]) -> ShellLog:
        from kb.capture.shell.marks import Marks
        from kb.capture.shell.recorder import ShellLog

        return ShellLog(
            self._redactor,
            Marks(self._nonce),
            report=report,
            place=self._place,
            hold=_hold,
            terminal=self._terminal,
            cwd=str(here() or ""),
        )

    def _place(self, folder: str) -> tuple[Ring, str]:
        """The ring and the session of a command that is run in `folder`: it may have been opened inside the shell."""
        from kb.capture.current import find_current

        try:
            home = self._home or find_home(Path(folder))
            current = find_current(home, Path(folder), named=self._named) if home is not None else None
        except (KbError, OSError):
            return self._ring, ""
        return ring_of(home), current.id if current else ""

    def _heard(self, line: str) -> None:
        """A command has begun or ended. Whatever happens to what kb keeps of it, the shell goes on."""
        try:
            self._keep(line)
        except (KbError, OSError) as error:
            self._problems.append(str(error))

    def _keep(self, line: str) -> None:
        from kb.capture.run.ring import read_run

        what, folder, cwd = json.loads(line)
        run = read_run(Path(folder))
        self._count += what == "ended"
        if run is None or not run.session:
            return
        root = run.folder.parents[2]
        home = self._homes.setdefault(root, read_home(root))
        if what == "began":
            self._look(home, run, cwd)
        else:
            self._file(home, run)

    def _look(self, home: Home, run: Run, cwd: str) -> None:
        from kb.capture.run.git_state import git_state

        if not os.path.isdir(cwd):
            return
        keep_start(home, run.session, Path(cwd))
        state = git_state(cwd)
        if state is not None:
            ring_of(home).keep_git(run, state.words, self._redactor.text(state.diff))

    def _file(self, home: Home, run: Run) -> None:
        from kb.capture.run.filing import file_run

        if run.command.split()[0] in _ASIDE:
            ring_of(home).mark_filed(run)
            return
        try:
            if file_run(home, ring_of(home), run) is not None:
                self._filed.add(run.session)
        except KbError as error:
            self._problems.append(str(error))


def _warm_up() -> None:
    """Load now what puts a command into a record: what is said to kb next must not get there before it."""
    import kb.capture.run.filing
    import kb.capture.writing  # noqa: F401


def _hold(folder: Path) -> Callable[[], None]:
    from kb.capture.run.ring import hold

    fd = hold(folder)
    return lambda: os.close(fd)
