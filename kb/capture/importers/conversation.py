"""A person and an agent at work: what the importers of agents' transcripts share.

The words of the person who asked become the introduction. Of the agent's words only those are kept that stand before
a change which was followed by a command that had failed and then ended well: what it took for the cause.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from kb.capture.importers.told import Changed, Event, Ran, Said, Story
from kb.capture.runs import shows_failure, tried
from kb.record.model import Console

_LONGEST_REQUEST = 2_000


class Conversation:
    """The events of a transcript, collected in order."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._asked: list[str] = []
        self._spoke = ""
        self._before_change: tuple[int, str] | None = None
        self._failed: set[str] = set()
        self._mended: int | None = None
        self._times: list[datetime] = []

    def at(self, when: datetime | None) -> None:
        """Something was noted at this time."""
        if when is not None:
            self._times.append(when)

    def human(self, text: str) -> None:
        """What a person wrote: the first words are what was wanted."""
        if not text.strip():
            return
        if self._asked:
            self._events.append(Said(text[:_LONGEST_REQUEST]))
        self._asked.append(text)

    def assistant(self, text: str) -> None:
        """What the agent wrote."""
        if text.strip():
            self._spoke = text.strip()

    def changed(self, change: Changed) -> None:
        """A file was edited."""
        if self._before_change is None and self._spoke:
            self._before_change = (len(self._events), self._spoke)
        self._events.append(change)

    def name_change(self, name: str, words: str) -> None:
        """The changes made since the last command have this name."""
        for at in range(len(self._events) - 1, -1, -1):
            event = self._events[at]
            if not isinstance(event, Changed) or event.name or not name:
                break
            self._events[at] = event._replace(name=name, words=words)

    def submitted(self, change: Changed) -> None:
        """All that was changed, told at the end: it was there when what had failed was last run and ended well."""
        self._events.insert(len(self._events) if self._mended is None else self._mended, change)

    def ran(self, ran: Ran) -> None:
        """A command was run. One that failed before and ends well now shows that the words before the change held."""
        if not ran.command.strip():
            return
        what = set(tried(Console(body=f"$ {' '.join(ran.command.split())}\n")))
        again = bool(what & self._failed)
        failed = ran.exit != 0 if ran.exit is not None else shows_failure(ran.output)
        if failed:
            self._failed |= what
            # What was said before the last change did not hold.
            self._before_change = None if again else self._before_change
        elif again:
            if self._before_change is not None:
                at, words = self._before_change
                self._events.insert(at, Said(words, cause=True))
                self._before_change = None
            self._failed -= what
            self._mended = len(self._events)
        self._events.append(ran)

    def story(
        self,
        *,
        title: str = "",
        lost: tuple[str, ...] = (),
        unknown: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Story:
        """All of it."""
        return Story(
            tuple(self._events),
            title=title,
            started=min(self._times, default=None),
            ended=max(self._times, default=None),
            introduction=self._asked[0][:_LONGEST_REQUEST] if self._asked else "",
            environment=environment or {},
            lost=lost,
            unknown=unknown,
        )
