"""What is kept of a record once it was read: the little that other pages than its own say of it.

A record is read for its own page; reading it again for each page of a failure that it met, and for the search, would
take longer than making these pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from kb.record.model import Attempt, Console, Diagnosis
from kb.runbook.excerpts import lines_of
from kb.runbook.noted import Noted

PROMPT = "$ "
_CONTINUED = re.compile(r"(?:^|[^\\])(?:\\\\)*\\$")


class Record(Protocol):
    """What pages take from a record itself: all else of it stands in the facts of its session."""

    @property
    def introduction(self) -> str:
        """What stands before the first attempt."""

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """The attempts with their steps."""

    @property
    def closing(self) -> str:
        """How it ended, in prose."""


class Said(NamedTuple):
    """A diagnosis: what was concluded, how sure it was, and what it rules out."""

    prose: str
    confidence: str
    rules_out: str


class Kept(NamedTuple):
    """The diagnoses of each attempt, and what the search finds of the record itself."""

    diagnoses: tuple[tuple[Said, ...], ...]
    words: tuple[str, ...]


class Reading(Mapping[str, Record]):
    """Records by session; `kept` is what is kept of each, read when it is asked for at the latest."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        self._records = records
        self.noted: Noted[Kept] = Noted()
        self._known = self.noted.all
        self.kept: Mapping[str, Kept] = _KeptOfAll(self, self._known)

    def __getitem__(self, session_id: str) -> Record:
        record = self._records[session_id]
        if session_id not in self._known:
            self._known[session_id] = kept_of(record)
        return record

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)


class _KeptOfAll(Mapping[str, Kept]):
    def __init__(self, reading: Reading, known: Mapping[str, Kept]) -> None:
        self._reading, self._known = reading, known

    def __getitem__(self, session_id: str) -> Kept:
        if session_id not in self._known:
            self._reading[session_id]
        return self._known[session_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._reading)

    def __len__(self) -> int:
        return len(self._reading)


def kept_of(record: Record) -> Kept:
    """What is kept of `record`."""
    diagnoses = tuple(
        tuple(
            Said(step.prose, step.confidence or "", step.rules_out or "")
            for step in attempt.steps
            if isinstance(step, Diagnosis) and step.prose.strip()
        )
        for attempt in record.attempts
    )
    return Kept(diagnoses, tuple(_words(record)))


def _words(record: Record) -> Iterator[str]:
    """The title of each attempt, and of each console the commands and the last line."""
    for attempt in record.attempts:
        yield attempt.title
        for step in attempt.steps:
            if isinstance(step, Console):
                lines = lines_of(step.body)
                yield " ".join(lines[place] for place in command_lines(lines))
                yield from [line for line in lines if line.strip()][-1:]


def command_lines(lines: Sequence[str]) -> tuple[int, ...]:
    """Which lines of a console are commands: those after the prompt, with their continuations."""
    out: list[int] = []
    for start in [place for place, line in enumerate(lines) if line[:2] == PROMPT]:
        if out and out[-1] >= start:
            continue  # it goes on with the one before
        out.append(start)
        while out[-1] + 1 < len(lines) and _CONTINUED.search(lines[out[-1]][-80:]):
            out.append(out[-1] + 1)
    return tuple(out)
