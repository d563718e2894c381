"""Importing: from files of any known format to the draft of a record."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from kb.capture.importers.drafting import Drafted, draft, drafted, steps_of
from kb.capture.importers.fitting_in import fitted
from kb.capture.importers.registry import FORMATS, Format
from kb.capture.importers.source import LARGEST, Source, open_source
from kb.capture.importers.told import Begins, Story
from kb.capture.names import session_id
from kb.capture.redacting import Redact, redactor, rename_numbers
from kb.capture.writing import place
from kb.errors import InputError, Location, UsageError
from kb.home import Home
from kb.record.model import Session


class Read(NamedTuple):
    """A file that was read: its format and what it tells."""

    source: Source
    format: Format
    story: Story


def read_file(path: Path, format_: str = "") -> Read:
    """What the file at `path` tells, of the format of that name or of the one it is recognised as.

    Raises InputError when it cannot be read or nothing in it can, UsageError for a format that does not exist.
    """
    source = open_source(path)
    if not source.data.strip():
        raise InputError("is empty", location=Location(str(path)))
    chosen = _named(format_) if format_ else recognise(source)
    story = chosen.read(source)
    if source.unread and chosen.name != "log":
        lost = f"what stands behind the first {LARGEST >> 20} MiB"
        story = replace(story, lost=(*story.lost, lost))
    if not story.events:
        lost = "; ".join(story.lost)
        raise InputError(
            f"nothing in it can be imported as {chosen.name}" + (f": lost {lost}" if lost else ""),
            location=Location(str(path)),
            hint="`--format NAME` takes it for another one",
        )
    return Read(source, chosen, story)


def recognise(source: Source) -> Format:
    """The format of a file. Raises InputError when it is of none."""
    found = next((one for one in FORMATS if one.knows(source.path, source.head)), None)
    if found is None:
        raise InputError(
            "is of no format that can be imported",
            location=Location(str(source.path)),
            hint="`kb import --list` names them, `--format NAME` takes it for one",
        )
    return found


def _named(name: str) -> Format:
    found = next((one for one in FORMATS if one.name == name), None)
    if found is None:
        raise UsageError(f"there is no format {name!r}", hint="one of " + ", ".join(one.name for one in FORMATS))
    return found


def together(reads: Sequence[Read]) -> Story:
    """One story of all files, in their order: each begins an attempt."""
    if len(reads) == 1:
        return reads[0].story
    first = reads[0].story
    events = [e for read in reads for e in (Begins(read.source.name), *read.story.events)]
    return Story(
        tuple(events),
        title=first.title,
        started=min((r.story.started for r in reads if r.story.started), default=None),
        ended=max((r.story.ended for r in reads if r.story.ended), default=None),
        introduction=first.introduction,
        closing=reads[-1].story.closing,
        components={name: text for read in reversed(reads) for name, text in read.story.components.items()},
        environment={name: text for read in reversed(reads) for name, text in read.story.environment.items()},
        lost=tuple(f"{read.source.name}: {text}" for read in reads for text in read.story.lost),
        unknown=tuple(dict.fromkeys(text for read in reads for text in read.story.unknown)),
    )


def store(home: Home, story: Story, *, title: str = "", otherwise: datetime) -> Drafted:
    """Make a record of `story` in the sessions of `home`; `otherwise` is when it began if nothing says that.

    Raises WriteError when the record cannot be made.
    """
    nameless = f"import-{os.getpid()}"
    steps = steps_of(story, redactor(home, nameless), title=title, otherwise=otherwise)
    lost: tuple[str, ...] = ()

    def make(id_: str) -> Session:
        nonlocal lost
        session, lost = fitted(draft(steps, id_))
        return session

    session = place(home, steps.started.date(), steps.title, make)
    rename_numbers(home, nameless, session.id)
    return drafted(session, steps, lost)


def without_home(story: Story, redact: Redact, *, title: str = "", otherwise: datetime) -> Drafted:
    """The draft of a record of `story`, stored nowhere."""
    steps = steps_of(story, redact, title=title, otherwise=otherwise)
    session, lost = fitted(draft(steps, session_id(steps.started.date(), steps.title)))
    return drafted(session, steps, lost)
