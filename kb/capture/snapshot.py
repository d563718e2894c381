"""How the files of a working tree stood at the start of an attempt, so that a fix can name what it changed.

Kept are only files that differ from the last commit, as redacted text below `.kb/snapshots/`: the difference between
two redacted texts is the redacted difference. Outside Git, the small text files of the folder itself are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath

from kb.atomic import write_text
from kb.capture.current import Current
from kb.capture.git import git
from kb.capture.redacting import Redact, redactor
from kb.failures.tables import rows

NOT_SOURCE = Path(__file__).with_name("not_source.txt")

#: Larger files are no source that a person changes by hand; more changed files are no fix.
LARGEST = 256 << 10
_MOST_FILES = 400
_MOST_TOTAL = 4 << 20
_MOST_OUTSIDE_GIT = 100
_RUNNING = "running"
_COMMIT = re.compile(r"[0-9a-f]*")


@dataclass(frozen=True)
class Snapshot:
    """A working tree: its `root`, its `commit` ("" outside Git) and the text of files that differ from the commit.

    None stands for a file that is gone. Paths are as Git writes them, from the root.
    """

    root: Path
    commit: str
    files: Mapping[str, str | None] = field(default_factory=dict)


def take(current: Current, directory: Path | None = None) -> Snapshot | None:
    """The working tree that `directory` (default: the working directory) lies in, without what kb itself keeps there.

    None when it cannot be read in a few seconds. Never an error.
    """
    here = (directory or Path.cwd()).resolve()
    redact = redactor(current.home, current.id)
    top = git(here, "rev-parse", "--show-toplevel")
    if top is None:
        return Snapshot(here, "", _read(here, _plain_files(here), current, redact))
    root = Path(top.rstrip("\n"))
    status = git(root, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all")
    if status is None:
        return None
    commit = (git(root, "rev-parse", "--verify", "-q", "HEAD") or "").strip()
    entries = [(entry[:2], entry[3:]) for entry in status.split("\0") if len(entry) > 3]
    names = (name for state, name in entries if state != "??" or is_source(name))
    return Snapshot(root, commit, _read(root, names, current, redact))


def take_for_run(current: Current, directory: Path | None = None) -> None:
    """Keep the working tree at the start of a command: if an attempt begins with that command, as its start."""
    snapshot = take(current, directory)
    if snapshot is not None:
        _write(current, _RUNNING, snapshot)


def settle(current: Current, attempt: int) -> None:
    """The attempt of this number has just been added to: see that its start is kept."""
    running, start = _path(current, _RUNNING), _path(current, str(attempt))
    if start.exists():
        running.unlink(missing_ok=True)
    elif running.exists():
        running.replace(start)
    else:
        snapshot = take(current)
        if snapshot is not None:
            _write(current, str(attempt), snapshot)


def after_fix(current: Current, attempt: int, snapshot: Snapshot) -> None:
    """A fix was named at the end of `attempt`: the next one there is what changes from `snapshot` on."""
    _write(current, f"{attempt}-fix", snapshot)


def start_of(current: Current, attempt: int) -> Snapshot | None:
    """The working tree at the start of `attempt`, or after the last fix named in it; None when it was not kept."""
    return _load(current, f"{attempt}-fix") or _load(current, str(attempt))


def forget(current: Current) -> None:
    """Remove what was kept: the session is finished."""
    folder = _path(current, "x").parent
    for path in folder.glob("*.json"):
        path.unlink(missing_ok=True)
    if folder.is_dir():
        folder.rmdir()


def is_source(name: str) -> bool:
    """Whether a file of this name, which Git does not know, may be something that a person changed."""
    word = name.rpartition("/")[2].lower()
    return not any(fnmatchcase(word, pattern) for pattern in _not_source())


@cache
def _not_source() -> tuple[str, ...]:
    return tuple(cells[0] for _, cells in rows(NOT_SOURCE, 1))


def as_text(data: bytes) -> str | None:
    """The text that `data` is; None for what is no text or too large."""
    if len(data) > LARGEST or b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _read(root: Path, names: Iterator[str], current: Current, redact: Redact) -> dict[str, str | None]:
    """The texts of the files `names` below `root`; those that are no text, or too many, are left out."""
    own = [current.home.sessions, current.home.root / ".kb", current.home.public]
    files: dict[str, str | None] = {}
    total = 0
    for name in names:
        path = root / name
        if any(path.is_relative_to(folder) for folder in own) or len(files) >= _MOST_FILES or total > _MOST_TOTAL:
            continue
        try:
            if not path.is_symlink() and path.is_file() and path.stat().st_size <= LARGEST:
                text = as_text(path.read_bytes())
                if text is not None:
                    files[name] = redact(text)
                    total += len(text)
            elif not path.exists() and not path.is_symlink():
                files[name] = None
        except OSError:
            continue
    return files


def _plain_files(folder: Path) -> Iterator[str]:
    names = sorted(p.name for p in folder.iterdir() if not p.name.startswith(".") and is_source(p.name) and p.is_file())
    return iter(names[:_MOST_OUTSIDE_GIT])


def _path(current: Current, name: str) -> Path:
    return current.home.root / ".kb" / "snapshots" / current.id / f"{name}.json"


def _write(current: Current, name: str, snapshot: Snapshot) -> None:
    values = {"root": str(snapshot.root), "commit": snapshot.commit, "files": dict(snapshot.files)}
    write_text(_path(current, name), json.dumps(values) + "\n")


def _load(current: Current, name: str) -> Snapshot | None:
    try:
        values = json.loads(_path(current, name).read_text("utf-8"))
        commit, files = values["commit"], values["files"]
        if not _COMMIT.fullmatch(commit) or not all(map(_is_below, files)):
            return None
        return Snapshot(Path(values["root"]), commit, files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _is_below(name: str) -> bool:
    """Whether `name` leads to a file below the folder it is taken from: what is kept may come with a checkout."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts
