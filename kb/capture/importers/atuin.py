"""The history of atuin: the table `history` of its SQLite database, with exit statuses, durations and folders."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from kb.capture.importers.histories import last_sitting
from kb.capture.importers.source import Source, moment, number_of, status_of
from kb.capture.importers.told import Ran, Story

_MAGIC = b"SQLite format 3\0"
#: The newest commands are read; a database that makes SQLite work longer than this is no history.
_NEWEST, _STEPS, _PATIENCE = 2000, 10_000, 2000
_COLUMNS = ("timestamp", "duration", "exit", "command", "cwd", "session", "deleted_at")


def knows(_path: Path, head: bytes) -> bool:
    """Whether it is an SQLite database that speaks of commands."""
    return head.startswith(_MAGIC)


def read(source: Source) -> Story:
    """The commands of the shell session that was used last, so far as they lie close together in time."""
    rows, lost = _rows(source.path)
    last = rows[-1]["session"] if rows else None
    entries = [_ran(row) for row in rows if row["session"] == last and row["deleted_at"] is None]
    others = sum(row["session"] != last for row in rows)
    left = (f"{others} command{'s' * (others != 1)} of other shells",) if others else ()
    return last_sitting(entries, (*lost, *left))


def _rows(path: Path) -> tuple[list[dict[str, object]], tuple[str, ...]]:
    """The newest rows, the oldest of them first, and what could not be read."""
    trouble = ""
    for how in ("mode=ro", "mode=ro&immutable=1"):
        try:
            with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?{how}", uri=True, timeout=2)) as database:
                return _newest(database), ()
        except (sqlite3.Error, ValueError, OverflowError) as error:
            trouble = str(error)
    return [], (f"the database: {trouble}",)


def _newest(database: sqlite3.Connection) -> list[dict[str, object]]:
    steps = 0

    def stop() -> bool:
        nonlocal steps
        steps += 1
        return steps > _PATIENCE

    database.set_progress_handler(stop, _STEPS)
    database.text_factory = lambda data: data.decode("utf-8", "replace")
    there = {row[1] for row in database.execute("PRAGMA table_info(history)")}
    columns = [name if name in there else f"NULL AS {name}" for name in _COLUMNS]
    query = f"SELECT {', '.join(columns)} FROM history ORDER BY timestamp DESC LIMIT {_NEWEST}"  # noqa: S608 - own names
    return [dict(zip(_COLUMNS, row, strict=True)) for row in database.execute(query)][::-1]


def _ran(row: dict[str, object]) -> Ran:
    took, when = number_of(row, "duration"), row["timestamp"]
    began = moment(when / 1e9) if isinstance(when, int | float) else None
    seconds = took / 1e9 if took is not None and took >= 0 else None
    command, cwd = row["command"], row["cwd"]
    return Ran(
        command if isinstance(command, str) else "",
        "",
        status_of(row, "exit"),
        seconds,
        cwd if isinstance(cwd, str) else "",
        began,
    )
