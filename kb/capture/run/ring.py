"""The ring of what was run lately: one folder per run, with its log, so that a session can be made of it afterwards.

It lies in `.kb/runs/` of the knowledge base, or below `$XDG_STATE_HOME/kb/runs/` where there is none; the oldest runs
make room for new ones. A run whose recorder was killed is found by its lock, which the system frees.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from kb.capture.run.spool import Kept, read_spool
from kb.home import Home

#: So many runs are kept, in so many bytes.
MOST_RUNS = 400
MOST_BYTES = 64 << 20
_FILE = "run.json"
_DIFF = "diff.patch"
_GIT = "git.json"
_FILED = ".filed"
_HELD = ".held"
#: What lies in files of its own, since another process writes it.
_APART = frozenset({"folder", "filed", "git"})


@dataclass(frozen=True)
class Run:
    """One command that was run, redacted: `started` is in UTC, `seconds` how long it took (None: not known).

    `exit` and `signal` are None while it runs, and for ever when its recorder was killed. `session` is the session it
    belongs to ("": none), `origin` what recorded it, `filed` whether it is in its record. `lost` says why the
    log is not whole.
    """

    folder: Path
    command: str
    cwd: str
    started: datetime
    terminal: str = ""
    session: str = ""
    origin: str = "run"
    exit: int | None = None
    signal: int | None = None
    seconds: float | None = None
    lines: int = 0
    ended: bool = False
    filed: bool = False
    lost: str = ""
    git: Mapping[str, str] = field(default_factory=dict)

    @property
    def log(self) -> Kept:
        """What is kept of its output."""
        return read_spool(self.folder)

    @property
    def diff(self) -> str:
        """What the working tree differed in from its commit when the run began."""
        try:
            return (self.folder / _DIFF).read_text("utf-8", errors="replace")
        except OSError:
            return ""

    @property
    def failed(self) -> bool:
        """Whether it ended badly."""
        return bool(self.exit) or bool(self.signal)


def ring_folder(home: Home | None) -> Path:
    """The folder of the ring of `home`; of the user when there is no knowledge base."""
    if home is not None:
        return home.root / ".kb" / "runs"
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(state) / "kb" / "runs"


class Ring:
    """The runs in one folder."""

    def __init__(self, folder: Path) -> None:
        """The folder is made when something is put into it."""
        self.folder = folder

    def begin(
        self,
        command: str,
        cwd: str,
        *,
        terminal: str = "",
        session: str = "",
        origin: str = "run",
        made: Callable[[Path], None] = lambda folder: None,
    ) -> Run:
        """A new run, on disk when this returns; its texts must be redacted. Raises OSError when it cannot be made.

        `made` is told its folder before others can see it: who goes on recording it holds it from there on.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        started = datetime.now(UTC)
        for number in count():
            folder = self.folder / (f"{started:%Y%m%dT%H%M%S.%f}-{os.getpid()}" + (f"-{number}" if number else ""))
            try:
                folder.mkdir(mode=0o700)
                break
            except FileExistsError:
                continue
        made(folder)
        run = Run(folder, command, cwd, started, terminal, session, origin)
        self.write(run)
        return run

    def write(self, run: Run) -> Run:
        """Store what is known of `run`."""
        values = {key: value for key, value in asdict(run).items() if key not in _APART}
        _replace(run.folder / _FILE, json.dumps({**values, "started": run.started.isoformat()}) + "\n")
        return run

    def end(
        self,
        run: Run,
        *,
        exit_: int | None,
        signal: int | None,
        lines: int | None = None,
        seconds: float | None = None,
        lost: str = "",
    ) -> Run:
        """`run` as it ended now; its `lines` are counted, and its `seconds` measured, when they are not given."""
        seconds = (datetime.now(UTC) - run.started).total_seconds() if seconds is None else seconds
        count_ = run.log.lines if lines is None else lines
        return self.write(replace(run, exit=exit_, signal=signal, seconds=seconds, lines=count_, ended=True, lost=lost))

    def keep_git(self, run: Run, words: Mapping[str, str], diff: str) -> Run:
        """Store what the run ran on: its commit, and what the working tree differed in from it, redacted."""
        _replace(run.folder / _GIT, json.dumps(dict(words)) + "\n")
        if diff:
            _replace(run.folder / _DIFF, diff)
        return replace(run, git=words)

    def mark_filed(self, run: Run) -> Run:
        """`run` is in the record of its session."""
        (run.folder / _FILED).touch(mode=0o600)
        return replace(run, filed=True)

    def runs(self) -> Iterator[Run]:
        """All runs, the oldest first; folders that cannot be read are left out."""
        for folder in self._folders():
            run = read_run(folder)
            if run is not None:
                yield run

    @property
    def newest(self) -> str:
        """The name of the newest run's folder, "" when there is none."""
        folders = self._folders()
        return folders[-1].name if folders else ""

    def since(self, moment: datetime) -> list[Run]:
        """The runs that had not ended by `moment`, the oldest first."""
        return [r for r in self.runs() if not r.ended or r.started + timedelta(seconds=r.seconds or 0) >= moment]

    def lost(self) -> list[Run]:
        """Runs whose recorder was killed: nobody holds them, and they have not ended."""
        return [run for run in self.runs() if not run.ended and not is_held(run.folder)]

    def prune(self) -> None:
        """Remove the oldest runs beyond the limits; those that go on stay, and those that wait for their record."""
        size = 0
        for kept, folder in enumerate(reversed(self._folders()), start=1):
            size += sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
            if kept > MOST_RUNS or (size > MOST_BYTES and kept > 1):
                run = read_run(folder)
                if run is None or (run.ended and (run.filed or not run.session)):
                    shutil.rmtree(folder, ignore_errors=True)

    def _folders(self) -> list[Path]:
        try:
            return sorted(path for path in self.folder.iterdir() if path.is_dir())
        except OSError:
            return []


def _replace(path: Path, text: str) -> None:
    """Like `kb.atomic`, for a file that need not outlive the machine: waiting for the disk is felt in a shell."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, "utf-8", errors="replace")
    os.replace(draft, path)


def read_run(folder: Path) -> Run | None:
    """The run in `folder`; None when there is none that can be read."""
    names = {one.name for one in fields(Run)}
    try:
        values = json.loads((folder / _FILE).read_text("utf-8"))
        known = {key: value for key, value in values.items() if key in names}
        filed = (folder / _FILED).exists()
        started = datetime.fromisoformat(values["started"])
        return Run(**{**known, "folder": folder, "started": started, "filed": filed, "git": _git(folder)})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _git(folder: Path) -> Mapping[str, str]:
    try:
        values = json.loads((folder / _GIT).read_text("utf-8"))
        return {str(key): str(value) for key, value in values.items()}
    except (OSError, ValueError, AttributeError):
        return {}


@contextmanager
def alone_with(folder: Path) -> Iterator[bool]:
    """Hold the run in `folder` meanwhile; False when another process does, or it is filed."""
    fd = os.open(folder / _HELD, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield not (folder / _FILED).exists()
    finally:
        os.close(fd)


def hold(folder: Path) -> int:
    """Lock the run in `folder` for this process and those it forks; the descriptor, to be closed at the end."""
    fd = os.open(folder / _HELD, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(OSError):
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return fd


def is_held(folder: Path) -> bool:
    """Whether the recorder of the run in `folder` lives."""
    try:
        fd = os.open(folder / _HELD, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False
