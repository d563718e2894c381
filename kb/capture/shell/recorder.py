"""The recorder of a shell: cuts what the terminal gets at the marks, and makes a run of each command."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from kb.capture.run.log import CommandLog
from kb.capture.run.ring import Ring, Run, read_run
from kb.capture.run.screen import plain_lines
from kb.capture.run.spool import Redactor
from kb.capture.shell.marks import Mark, Marks

#: Between the end of the prompt and the command, an integrated shell echoes the line: no more of it is looked at.
_LONGEST_ECHO = 1 << 14
ORIGIN = "shell"
#: What is said to kb, or ends the shell, is no part of what happened.
_NOTHING = frozenset({"kb", "exit", "logout"})


class ShellLog:
    """Takes the stream of a shell; `report` is told of each run as JSON: `began` or `ended`, its folder, where it ran.

    `place` gives the ring and the id of the session ("": none) that a command in a folder belongs to; `hold` keeps a
    run from being taken for one whose recorder was killed (it gives what ends that).
    """

    def __init__(
        self,
        redactor: Redactor,
        marks: Marks,
        *,
        report: Callable[[str], None],
        place: Callable[[str], tuple[Ring, str]],
        hold: Callable[[Path], Callable[[], None]],
        terminal: str,
        cwd: str,
    ) -> None:
        self._redactor = redactor
        self._marks = marks
        self._report = report
        self._place = place
        self._hold = hold
        self._terminal = terminal
        self._cwd = cwd
        self._run: Run | None = None
        self._log: CommandLog | None = None
        self._release: Callable[[], None] = lambda: None
        self._last: int | None = None
        self._newest = place(cwd)[0].newest
        self._said = ""
        self._typing = False

    def take(self, stream: int, data: bytes, *, last: bool) -> int:
        """Log what belongs to commands; prompts and what is typed at them are passed over."""
        marks, end = self._marks.find(data)
        at = 0
        for mark in marks:
            self._segment(data[at : mark.start])
            self._obey(mark)
            at = mark.end
        if last:
            self._segment(data[at:])
            self._end(None)
            return len(data)
        if self._log is not None:
            return at + self._log.take(0, data[at:end], last=False)
        return at if self._typing and end - at < _LONGEST_ECHO else end

    def visible(self, data: bytes, *, last: bool) -> tuple[bytes, int]:
        """What the terminal gets: all but kb's own marks."""
        return (data, len(data)) if last else self._marks.without(data)

    def state(self) -> bytes:
        """The open run, and where its log is."""
        log = self._log.state().decode() if self._log is not None else ""
        folder = str(self._run.folder) if self._run is not None else ""
        return json.dumps([folder, self._newest, log, self._last, self._cwd[-1000:], self._typing]).encode()

    def restore(self, state: bytes) -> None:
        """Go on where another process stopped."""
        if not state:
            return
        folder, self._newest, log, self._last, self._cwd, self._typing = json.loads(state)
        self._forget_after(self._newest)
        self._run = read_run(Path(folder)) if folder else None
        if self._run is not None:
            self._keep(self._run.folder)
            self._log = CommandLog(self._run.folder, self._redactor, 1)
            self._log.restore(log.encode())

    def _forget_after(self, newest: str) -> None:
        """Remove the runs that a killed pump began and did not say: they are found in what it held, once more."""
        for run in self._place(self._cwd)[0].runs():
            if run.folder.name > newest and run.origin == ORIGIN and run.terminal == self._terminal:
                shutil.rmtree(run.folder, ignore_errors=True)

    def close(self) -> None:
        """The shell has ended."""
        self._end(None)

    def _segment(self, data: bytes) -> None:
        """What stands before a mark."""
        if self._log is not None:
            self._log.take(0, data, last=True)
        elif self._typing:
            self._said = plain_lines(data[:_LONGEST_ECHO].decode("utf-8", "replace")).strip()

    def _obey(self, mark: Mark) -> None:
        if mark.kind == "begins":
            again = mark.number is not None and mark.number == self._last
            self._last = mark.number if mark.number is not None else self._last
            self._begin(mark.text or self._said, silent=again)
        elif mark.kind == "ends":
            self._end(mark.number)
            self._cwd = mark.text or self._cwd
        elif mark.kind == "prompt":
            self._end(None)
        elif mark.kind == "folder":
            self._cwd = mark.text or self._cwd
        elif mark.kind == "line":
            self._last, self._said = mark.number, mark.text
        self._typing = mark.kind == "typing"
        if mark.kind not in ("line", "folder"):
            self._said = ""

    def _begin(self, line: str, *, silent: bool) -> None:
        if self._run is not None:
            return  # two integrations mark one command
        if silent or not line.strip() or line[0].isspace() or line.split()[0] in _NOTHING:
            return
        redact = self._redactor.text
        ring, session = self._place(self._cwd)
        run = ring.begin(
            redact(line),
            redact(self._cwd),
            terminal=self._terminal,
            session=session,
            origin=ORIGIN,
            made=self._keep,
        )
        self._newest = run.folder.name
        self._run, self._log = run, CommandLog(run.folder, self._redactor, 1)
        self._tell("began", run)

    def _keep(self, folder: Path) -> None:
        self._release = self._hold(folder)

    def _tell(self, what: str, run: Run) -> None:
        self._report(json.dumps([what, str(run.folder), self._cwd]))

    def _end(self, status: int | None) -> None:
        run, log = self._run, self._log
        if run is None or log is None:
            return
        self._run = self._log = None
        log.close()
        # A shell says 128 and the number of the signal of a command that was killed; it stays as it was said.
        Ring(run.folder.parent).end(run, exit_=status, signal=None, lines=log.lines)
        self._release()
        self._tell("ended", run)
