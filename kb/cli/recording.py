"""Recording a command, for `kb run` and what is like it: which session, which ring, which redaction."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.capture.current import VARIABLE, find_current
from kb.capture.run.log import CommandLog, NoLog, Sink
from kb.capture.run.ring import Ring, Run, hold, ring_folder
from kb.capture.run.watch import Ended, Watch
from kb.capture.terminal import terminal_key
from kb.cli.forking import fork
from kb.cli.terminal import note, one_line
from kb.errors import KbError, UsageError
from kb.home import Home, find_home, here, need_home

if TYPE_CHECKING:
    from kb.capture.redaction.redactor import Redactor
    from kb.capture.writing import Appended


#: Whatever happens to what kb keeps, a command that was begun goes on, and its exit status is passed on.
_NOT_KEPT = (KbError, OSError)


class Recording:
    """One command being recorded; `run` is what is known of it once it was started, None when it cannot be kept."""

    run: Run | None = None

    def __init__(self, home: Home | None, text: str, named: str) -> None:
        self._home = home
        self._text = text
        self._session = session_of(home, named)

    def record(self, argv: list[str]) -> Ended:
        """Run it to its end. Raises OSError when it cannot be started."""

        def sink(streams: int, _report: Callable[[str], None]) -> Sink:
            return CommandLog(self.run.folder, self._redactor, streams) if self.run else NoLog()

        watch = Watch(argv, sink, fork, alone=self._alone, prepare=self._prepare, meanwhile=self._look)
        ended = watch.run()
        if self.run is not None:
            try:
                self.run = self._ring.end(self.run, exit_=ended.exit, signal=ended.signal, lost=ended.lost)
            except _NOT_KEPT as error:
                note(f"how the command ended is not recorded: {_said(error)}")
        return ended

    def _prepare(self) -> None:
        """While the command starts: make ready what records it."""
        try:
            self._begin()
        except _NOT_KEPT as error:
            self.run = None
            _tell(f"the command is not recorded: {_said(error)}")

    def _begin(self) -> None:
        """Load the redaction, and note that the command runs."""
        self._ring = ring_of(self._home)
        self._redactor = redactor_of(self._home, self._session, self._ring)
        redact = self._redactor.text
        terminal = terminal_key() or ""
        self.run = self._ring.begin(
            redact(self._text), redact(str(here() or "")), terminal=terminal, session=self._session, made=self._keep
        )

    def _keep(self, folder: Path) -> None:
        self._held = hold(folder)

    def _look(self) -> None:
        """While the command runs: see what it runs on, and how the files stand that it may be about."""
        folder = here()
        if folder is None:
            return
        if self._home is not None and self._session:
            keep_start(self._home, self._session, folder)
        from kb.capture.run.git_state import git_state

        state = git_state(str(folder))
        if state is None or self.run is None:
            return
        try:
            self.run = self._ring.keep_git(self.run, state.words, self._redactor.text(state.diff))
        except _NOT_KEPT as error:
            _tell(f"the state of the repository is not recorded: {_said(error)}")

    def _alone(self) -> None:
        """In the pump, when kb itself was killed: the run ends here, without an exit status."""
        if self.run is None:
            return
        os.close(self._held)
        recover_all(self._home)

    def file(self) -> Appended | None:
        """Put the run into its session's record; what came of it."""
        from kb.capture.run.filing import file_run

        if self.run is None:
            return None
        recover_all(self._home)
        os.close(self._held)
        appended = None
        try:
            if self._home is not None:
                appended = file_run(self._home, self._ring, self.run)
        except _NOT_KEPT as error:
            note(f"the run is kept, but not in the session: {_said(error)}")
        with suppress(OSError):
            self._ring.prune()
        return appended


def session_of(home: Home | None, named: str) -> str:
    """The id of the session that a run belongs to, or ""."""
    if home is None:
        if named:
            raise UsageError("there is no knowledge base here, so no session", hint="run `kb init`, or name one")
        return ""
    try:
        current = find_current(home, named=named)
    except OSError as error:
        note(f"which session this run belongs to cannot be read: {_said(error)}")
        return ""
    except UsageError as error:
        if named or os.environ.get(VARIABLE):
            raise
        # The command was asked for, so it runs; where it belongs can still be said.
        note(f"{error}; this run goes into none of them")
        return ""
    return current.id if current else ""


def recording_home(ctx: click.Context) -> Home | None:
    """The knowledge base that is recorded into; None when none was named and none is near."""
    if ctx.obj or os.environ.get("KB_HOME"):
        return need_home(Path(ctx.obj) if ctx.obj else None)
    return find_home()


def ring_of(home: Home | None) -> Ring:
    """The ring of recent runs."""
    return Ring(ring_folder(home))


def redactor_of(home: Home | None, session: str, ring: Ring) -> Redactor:
    """What takes secrets out: with the numbers of the session, or those of the ring."""
    # The command has been started when this is loaded: it does not wait for it.
    cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "kb"
    if sys.stderr.isatty() and not any(cache.glob("rules-*.hs")):
        _tell("preparing what takes secrets out; this is done once and takes some seconds")
    from kb.capture.redaction.redactor import session_redactor

    memory = home.root / ".kb" / "numbers" / f"{session}.jsonl" if home and session else ring.folder / ".numbers.jsonl"
    return session_redactor(home, memory)


def keep_start(home: Home, session: str, folder: Path) -> None:
    """Keep how the files in `folder` stand when a command begins: a fix is what changes from there on."""
    from kb.capture.snapshot import take_for_run

    try:
        current = find_current(home, named=session)
        if current is not None:
            take_for_run(current, folder)
    except (KbError, OSError) as error:
        _tell(f"the state of the files is not kept: {_said(error)}")


def recover_all(home: Home | None) -> None:
    """End the runs whose recorder was killed, and put them where they belong; says what was found."""
    from kb.capture.run.filing import recover

    try:
        for run in recover(home, ring_of(home)):
            note(f"found what `{run.command}` printed before its recorder was killed: {run.lines} lines")
    except _NOT_KEPT as error:
        note(_said(error))


def _said(error: KbError | OSError) -> str:
    return str(error) if isinstance(error, KbError) else f"{error.filename or 'kb'}: {error.strerror}"


def _tell(text: str) -> None:
    """A note while a command runs: the terminal may be raw by now, where a line end alone does not begin a line."""
    click.echo(f"kb: {one_line(text)}" + "\r" * sys.stderr.isatty(), err=True)
