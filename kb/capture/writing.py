"""Adding to the record of a session: one writer at a time, always a whole record, nothing lost.

A step is in the record when `append` returns, or in the journal beside it with the reason why. Whatever a person wrote
into the record by hand meanwhile stays.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple

from kb.atomic import write_bytes
from kb.capture.current import Current, forget, join, remember
from kb.capture.draft import Draft
from kb.capture.entry import Entry, clean, one_line
from kb.capture.environment.packages import versions_named
from kb.capture.fitting import shortened
from kb.capture.journal import Journal
from kb.capture.lock import is_locked, locked
from kb.capture.names import session_id
from kb.capture.redacting import forget_numbers, redactor, rename_numbers
from kb.capture.snapshot import forget as forget_snapshots
from kb.capture.snapshot import settle
from kb.errors import Location, Problem, RecordError, WriteError
from kb.home import LEADS_OUT, Home, leads_out
from kb.record.folder import read_bytes
from kb.record.model import Console, Log, Session
from kb.record.writer import SIZE_LIMIT, write_session

#: How often a record that a person saves at the same moment is read again.
_TRIES = 20


class Appended(NamedTuple):
    """What became of an entry: the attempt it is in, and why it is not in the record yet ("" when it is).

    `session` is the session with the entry in it, None while it waits.
    """

    attempt: int
    waits: str = ""
    session: Session | None = None


class Held(NamedTuple):
    """A session as its record and journal have it: None with the `problems` of a record that cannot be read whole."""

    session: Session | None
    problems: tuple[Problem, ...]
    waiting: int = 0


def begin(
    home: Home,
    title: str,
    *,
    known: Entry | None = None,
    tags: Sequence[str] = (),
    directory: Path | None = None,
    now: datetime | None = None,
) -> Current:
    """Open a session called `title`: a record of its own, remembered for `directory` (default: the working directory).

    `known` is what is known from the start, `now` when it starts, with its zone. Raises WriteError or OSError when the
    session cannot be made or remembered: then nothing of it is left.
    """
    started = (now or datetime.now(UTC)).astimezone()
    nameless = f"new-{os.getpid()}"
    redact = redactor(home, nameless)
    title = one_line(redact(title)) or "untitled"
    entry = clean(known or Entry(), redact)

    def first(id_: str) -> Session:
        draft = Draft(Session(id=id_, title=title, started=started.replace(microsecond=0)))
        entry.apply(draft)
        draft.tag(*tags)
        return draft.session

    current = None
    try:
        session = place(home, started.date(), title, first)
        current = Current(home, session.id, Path())
        rename_numbers(home, nameless, session.id)
        return remember(home, session.id, directory)
    except BaseException:
        with suppress(OSError):
            forget_numbers(home, nameless)
        if current is not None:
            take_back(current)
        raise


def take_back(current: Current) -> None:
    """Leave nothing of a session that was just begun, since it could not be completed."""
    undoing: tuple[Callable[[], None], ...] = (
        lambda: current.record.unlink(missing_ok=True),
        lambda: forget(current.home, current.id),
        lambda: forget_numbers(current.home, current.id),
        lambda: Journal(current.home, current.id).clear(),
        lambda: forget_snapshots(current),
    )
    for undo in undoing:
        with suppress(OSError):
            undo()


def place(home: Home, day: date, title: str, make: Callable[[str], Session]) -> Session:
    """Write the session that `make` gives for an id as a new record, under the first id of that day that is free.

    Raises WriteError when the record cannot be made, RecordError when there is none for the session.
    """
    if leads_out(home, home.sessions):
        raise WriteError(LEADS_OUT.replace("read", "written to"), location=Location(str(home.sessions)))
    for number in count(1):
        id_ = session_id(day, title, number)
        path = home.sessions / f"{id_}.md"
        if path.exists():
            continue
        session = make(id_)
        if _make(path, write_session(session)):
            return session
    raise AssertionError  # there is always another number


def _make(path: Path, text: str) -> bool:
    """Write a new record, whole or not at all; False when there is one of that name: two terminals never take one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write_bytes(draft, text.encode("utf-8"))
        try:
            os.link(draft, path)
        except FileExistsError:
            return False
    except OSError as error:
        raise WriteError(f"cannot be made: {error.strerror}", location=Location(str(path))) from error
    finally:
        with suppress(OSError):
            draft.unlink()
    return True


def append(current: Current, entry: Entry) -> Appended:
    """Add `entry`, redacted, to the record of `current`; safe against other writers and against being killed.

    A body too large for the record is shortened. When the record has problems, or is open in `kb edit`, the entry waits
    in the journal, and the next one that finds the record in order takes it along.
    """
    entry = _with_versions(clean(entry, redactor(current.home, current.id)))
    join(current)
    with _lock(current):
        journal = Journal(current.home, current.id)
        why = _why_not(current)
        if not why:
            try:
                done = _write(current, entry, journal)
            except RecordError as error:
                why = str(error)
        if why:
            journal.add(entry)
            return Appended(0, why)
    if done.attempt:
        with suppress(OSError):
            settle(current, done.attempt)
    return done


def change(current: Current, edit: Callable[[Draft], None]) -> Session:
    """Change the record of `current`, waiting entries first. Raises RecordError when it has problems."""
    with _lock(current):
        if is_locked(editing(current)):
            hint = "close the editor first"
            raise WriteError("the record is open in `kb edit`", location=Location(str(current.record)), hint=hint)
        journal = Journal(current.home, current.id)
        return _rewrite(current, journal, edit)


def held(current: Current) -> Held:
    """The session of `current`, with what waits in its journal, so far as it can be read."""
    journal = Journal(current.home, current.id)
    try:
        data = current.record.read_bytes()
    except OSError:
        data = b""
    reading = read_bytes(data, _shown(current))
    waiting = journal.entries(data)
    if reading.session is None:
        return Held(None, reading.problems, len(waiting))
    draft = Draft(reading.session)
    for entry in waiting:
        entry.apply(draft)
    return Held(draft.session, reading.problems, len(waiting))


def editing(current: Current) -> Path:
    """The lock file that `kb edit` holds while an editor has the record."""
    return current.home.root / ".kb" / "locks" / f"{current.id}.edit"


def _with_versions(entry: Entry) -> Entry:
    """`entry` with the versions of the packages that its evidence names."""
    found = dict(entry.components)
    for step in entry.steps:
        if isinstance(step, Console | Log):
            found |= versions_named(step.body)
    return replace(entry, components=found)


def _lock(current: Current) -> AbstractContextManager[None]:
    return locked(current.home.root / ".kb" / "locks" / f"{current.id}.lock")


def _why_not(current: Current) -> str:
    if is_locked(editing(current)):
        return "the record is open in `kb edit`"
    return "" if current.record.is_file() else f"{_shown(current)} is gone"


def _write(current: Current, entry: Entry, journal: Journal) -> Appended:
    attempt = 0
    for fitting in shortened(entry, SIZE_LIMIT - current.record.stat().st_size):

        def add(draft: Draft, fitting: Entry = fitting) -> None:
            nonlocal attempt
            attempt = fitting.apply(draft)

        try:
            session = _rewrite(current, journal, add)
        except RecordError as error:
            if not any(problem.code == "too-large" for problem in error.problems):
                raise
            last = error
        else:
            return Appended(attempt, session=session)
    raise last


def _rewrite(current: Current, journal: Journal, edit: Callable[[Draft], None]) -> Session:
    """Read the record, apply what waits and `edit`, write it; again from the start when it was saved meanwhile."""
    for _ in range(_TRIES):
        data = current.record.read_bytes()
        session, problems = read_bytes(data, _shown(current))
        if session is None or problems:
            raise RecordError(problems)
        draft = Draft(session)
        for waiting in journal.entries(data):
            waiting.apply(draft)
        edit(draft)
        changed = draft.session
        text = write_session(changed).encode("utf-8")
        if text != data:
            if current.record.read_bytes() != data:
                continue
            journal.goes_into(text)
            write_bytes(current.record, text)
        journal.clear()
        return changed
    raise WriteError("the record changes all the time", location=Location(_shown(current)))


def _shown(current: Current) -> str:
    return os.path.relpath(current.record, current.home.root)
