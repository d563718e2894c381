"""The session one is in: remembered for a folder, and for a terminal where several are open at once.

Each open session has one small JSON file of its own below `.kb/current/`, so that two terminals never write the same
file. What is remembered there is only where one is; the session itself is its record.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from kb.capture.terminal import terminal_key
from kb.errors import UsageError
from kb.home import LEADS_OUT, Home, leads_out

#: Names the session to use, over what is remembered: set inside `kb shell`, and by programs that run side by side.
VARIABLE = "KB_SESSION"
#: Terminals that a session remembers; the oldest are forgotten.
_TERMINALS = 8


class Current(NamedTuple):
    """An open session: its id, the folder it was started or resumed in, and when each terminal last joined it."""

    home: Home
    id: str
    directory: Path
    terminals: Mapping[str, float] = MappingProxyType({})

    @property
    def record(self) -> Path:
        """The session's Markdown file."""
        return self.home.sessions / f"{self.id}.md"

    @property
    def beside(self) -> Path:
        """The folder for whole files that belong to the record."""
        return self.home.sessions / self.id


def all_open(home: Home) -> list[Current]:
    """The sessions that are remembered as open, by id. One whose file cannot be read is left out."""
    found = (_read(home, path) for path in sorted(_folder(home).glob("*.json")))
    return [current for current in found if current is not None]


def find_current(home: Home, directory: Path | None = None, *, named: str = "") -> Current | None:
    """The session that work in `directory` (default: the working directory) belongs to; None when none is open.

    A session that is `named` (or by `$KB_SESSION`) is taken; then what this terminal joined, the one of the nearest
    folder at or above `directory` before others; then the only one of the nearest folder. Raises UsageError when that
    folder has several and this terminal joined none: two sessions at once must not mix.
    """
    named = named or os.environ.get(VARIABLE, "")
    current = all_open(home)
    if named:
        return _inside(_named(home, current, named))
    here = (directory or Path.cwd()).resolve()
    terminal = terminal_key()
    mine = [one for one in current if terminal is not None and terminal in one.terminals]
    if terminal is not None and mine:
        return _inside(max(mine, key=lambda one: (_nearness(one, here), one.terminals[terminal])))
    near = [one for one in current if _nearness(one, here) >= 0]
    nearest = max((_nearness(one, here) for one in near), default=-1)
    candidates = [one for one in near if _nearness(one, here) == nearest]
    if len(candidates) > 1:
        names = ", ".join(one.id for one in candidates)
        hint = f"`kb resume ID` takes one in this terminal; elsewhere set {VARIABLE}=ID"
        raise UsageError(f"several sessions are open here: {names}", hint=hint)
    return _inside(candidates[0]) if candidates else None


def _inside(current: Current) -> Current:
    """`current`, whose record and files must lie in its knowledge base."""
    for path in (current.record, current.beside):
        if leads_out(current.home, path):
            raise UsageError(f"{path} {LEADS_OUT}")
    return current


def need_current(home: Home, directory: Path | None = None, *, named: str = "") -> Current:
    """Like `find_current`, but no open session is an error that says what to do."""
    current = find_current(home, directory, named=named)
    if current is None:
        raise UsageError(
            "no session is open here", hint='`kb start "what is broken"` opens one, `kb resume` goes on with one'
        )
    return current


def remember(home: Home, id_: str, directory: Path | None = None) -> Current:
    """Make `id_` the session of `directory` (default: the working directory) and of this terminal.

    Raises UsageError when its record is a link that leads out of `home`.
    """
    _inside(Current(home, id_, Path()))
    path = _folder(home) / f"{id_}.json"
    known = _read(home, path)
    current = Current(home, id_, (directory or Path.cwd()).resolve(), known.terminals if known else {})
    return _write(current)


def join(current: Current) -> Current:
    """Remember that this terminal works on `current`, so that a second session in the same folder does not mix in."""
    terminal = terminal_key()
    if terminal is None or terminal in current.terminals or not (_folder(current.home) / f"{current.id}.json").exists():
        return current
    return _write(current)


def forget(home: Home, id_: str) -> None:
    """The session is no longer open; its record is not touched."""
    (_folder(home) / f"{id_}.json").unlink(missing_ok=True)


def _write(current: Current) -> Current:
    from kb.atomic import write_text  # looking a session up, as a prompt does, starts faster without

    terminal = terminal_key()
    terminals = dict(current.terminals)
    if terminal is not None:
        terminals[terminal] = time.time()
    kept = sorted(terminals.items(), key=lambda item: item[1])[-_TERMINALS:]
    current = current._replace(terminals=dict(kept))
    text = json.dumps({"id": current.id, "directory": str(current.directory), "terminals": dict(current.terminals)})
    write_text(_folder(current.home) / f"{current.id}.json", text + "\n")
    return current


def _read(home: Home, path: Path) -> Current | None:
    try:
        values = json.loads(path.read_text("utf-8"))
        terminals = {str(key): float(when) for key, when in values["terminals"].items()}
        return Current(home, str(values["id"]), Path(values["directory"]), terminals)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _named(home: Home, current: list[Current], name: str) -> Current:
    for one in current:
        if one.id == name:
            return one
    if Path(name).name == name and (home.sessions / f"{name}.md").is_file():
        return Current(home, name, Path.cwd())
    raise UsageError(f"there is no session {name}", hint="`kb resume` lists those that are open")


def _nearness(current: Current, here: Path) -> int:
    """How many folders lead to that of `current` when it is at or above `here`, else -1."""
    return len(current.directory.parts) if here.is_relative_to(current.directory) else -1


def _folder(home: Home) -> Path:
    return home.root / ".kb" / "current"
