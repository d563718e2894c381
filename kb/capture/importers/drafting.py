"""From what an importer tells to the draft of a record, and the list of what a person should still say.

Nothing is claimed that the source does not show: changes of files get names that stand for one, the resolution stays
open, and what only looks like a cause is listed as something to check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import BytesIO

from kb.capture.draft import Draft, Missing, ends_well, missing
from kb.capture.entry import Entry, clean, one_line
from kb.capture.environment.packages import versions_named
from kb.capture.excerpts import excerpt_of
from kb.capture.importers.told import Begins, Changed, Event, Ran, Said, Saw, Story
from kb.capture.redacting import Redact
from kb.capture.run.filing import console_body, output_of
from kb.capture.runs import commands, ended_badly, found_in, only_looks
from kb.failures.large import LARGE
from kb.record.model import Block, Console, Diagnosis, Fix, Note, Session, Step
from kb.record.texts import prose

#: Of a source with more events the commands that only looked go first, then the oldest.
_MOST_EVENTS = 500
_LONGEST_TITLE, _LONGEST_OUTPUT, _LONGEST_PROSE = 100, 4 << 20, 100_000
_LONGEST_DURATION = 86_400 * 99_999
#: Files that configure something.
_CONFIGURES = (".toml", ".yaml", ".yml", ".json", ".ini", ".cfg", ".conf", ".env", ".properties")


@dataclass(frozen=True)
class Drafted:
    """A session made of what was told, what a person should still say, and what of the source is not in it."""

    session: Session
    open: tuple[Missing, ...]
    lost: tuple[str, ...]


@dataclass(frozen=True)
class Steps:
    """The redacted steps of a story, ready for a record of any id; `title` and `started` are always there."""

    story: Story
    entries: tuple[Entry | Changed, ...]
    title: str
    started: datetime
    introduction: str
    closing: str
    lost: tuple[str, ...]


def steps_of(story: Story, redact: Redact, *, title: str = "", otherwise: datetime) -> Steps:
    """What `story` tells as steps, every text redacted. `otherwise` is when it began where nothing says that."""
    events, lost = _bounded(story.events)
    entries: list[Entry | Changed] = []
    for event in events:
        if isinstance(event, Changed):
            entries.append(_clean_change(event, redact))
        elif isinstance(event, Begins):
            entries.append(Entry(begin=True, title=_title(redact(event.title)) or "untitled"))
        else:
            entries.extend(_entry(event, redact))
    words = _title(redact(title or story.title)) or _failure_title(entries) or "imported session"
    started = story.started or min((e.started for e in events if isinstance(e, Ran) and e.started), default=otherwise)
    said = _prose(redact(story.introduction)), _prose(redact(story.closing))
    return Steps(story, tuple(entries), words, started.astimezone(UTC), *said, (*story.lost, *lost))


def draft(steps: Steps, id_: str) -> Session:
    """The session of that id which `steps` make."""
    ended = steps.story.ended
    base = Session(
        id=id_,
        title=steps.title,
        started=steps.started,
        ended=ended if ended and ended >= steps.started else None,
        introduction=steps.introduction,
        closing=steps.closing,
    )
    making = _Making(Draft(base), id_)
    for entry in steps.entries:
        making.add(entry)
    making.flush()
    making.draft.state(dict(steps.story.components), dict(steps.story.environment))
    return making.draft.session


@dataclass
class _Making:
    """A draft being filled: changes wait until something is run that may show what they did."""

    draft: Draft
    id: str
    waiting: list[Changed] = field(default_factory=list)
    held: list[Entry] = field(default_factory=list)
    failed: bool = False
    named: int = 0

    def add(self, entry: Entry | Changed) -> None:
        if isinstance(entry, Changed):
            self.waiting.append(entry)
            return
        step = entry.steps[0] if entry.steps else None
        words = isinstance(step, Note | Diagnosis)
        if entry.begin or (words and self.held):
            # A fix stands at the end of the attempt before the run that shows what it did, so the next attempt waits.
            self.held.append(entry)
            return
        looks = isinstance(step, Console) and all(only_looks(one) for one in commands(step.body))
        if not words and (self.held or not looks):
            self.flush()
        entry.apply(self.draft)
        self.failed = self.failed or (step is not None and ended_badly(step))

    def flush(self) -> None:
        """Put the changes that wait into the attempt that is going on, and begin the one that waits."""
        if not self.draft.attempts:
            self._release()
        self._fixes()
        self._release()

    def _release(self) -> None:
        for entry in self.held:
            entry.apply(self.draft)
        self.held = []

    def _fixes(self) -> None:
        plain = [one for one in self.waiting if not one.name]
        for name in dict.fromkeys(one.name for one in self.waiting if one.name):
            self.draft.add(_fix(name, [one for one in self.waiting if one.name == name]))
        if plain and self.failed:
            self.named += 1
            self.draft.add(_fix(f"change-{self.named}-of-{self.id}"[:120].rstrip("-."), plain))
        elif plain:
            self.draft.add(Note(prose=f"Changed before anything failed: {_files(plain)}."))
        self.waiting = []


def _fix(slug: str, changes: Sequence[Changed]) -> Fix:
    paths = list(dict.fromkeys(path for change in changes for path in change.paths))
    config = bool(paths) and all(path.endswith(_CONFIGURES) for path in paths)
    words = "\n\n".join(dict.fromkeys(change.words for change in changes if change.words))
    diff = "".join(change.diff if change.diff.endswith("\n") else f"{change.diff}\n" for change in changes)
    return Fix(
        slug=slug,
        kind="config" if config else "patch",
        target=paths[0] if len(paths) == 1 else None,
        prose=words or (f"Changed {_files(changes)}." if paths else ""),
        blocks=(Block(language="diff", body=diff),) if diff.strip() else (),
    )


def _files(changes: Sequence[Changed]) -> str:
    paths = list(dict.fromkeys(path for change in changes for path in change.paths))
    more = f" and {len(paths) - 8} more" if len(paths) > 8 else ""
    return ", ".join(f"`{path}`" for path in paths[:8]) + more


def _entry(event: Ran | Saw | Said, redact: Redact) -> Iterator[Entry]:
    step: Step
    if isinstance(event, Said):
        text = _prose(redact(event.text))
        if text:
            yield Entry(steps=(Diagnosis(prose=text) if event.cause else Note(prose=text),))
        return
    if isinstance(event, Saw):
        data = redact(event.text).encode("utf-8", "replace")
        log = excerpt_of(data if len(data) <= LARGE else BytesIO(data), event.source).log
        step, told = log, log.body
    else:
        if not event.command.strip():
            return
        told = redact(event.output[:_LONGEST_OUTPUT])
        known = event.seconds is not None and 0 <= event.seconds < _LONGEST_DURATION
        step = Console(
            body=console_body(redact(event.command.strip("\n")), output_of(told)),
            exit=event.exit,
            duration=_rounded(event.seconds) if known else None,
            cwd=event.cwd or None,
            started=event.started,
        )
    yield clean(Entry(steps=(step,), components=versions_named(told)), redact)


def _rounded(seconds: float | None) -> timedelta:
    return timedelta(seconds=round(seconds or 0.0, 1 if (seconds or 0.0) < 60 else 0))


def _clean_change(change: Changed, redact: Redact) -> Changed:
    return Changed(
        tuple(one_line(redact(path)) for path in change.paths),
        redact(change.diff),
        change.name,
        _prose(redact(change.words)),
    )


def _prose(text: str) -> str:
    text = prose(text)
    return text if len(text) <= _LONGEST_PROSE else f"{text[:_LONGEST_PROSE]}[... cut]"


def _title(text: str) -> str:
    words = one_line(text)
    return words if len(words) <= _LONGEST_TITLE else words[: _LONGEST_TITLE - 1].rstrip() + "…"


def _failure_title(entries: Sequence[Entry | Changed]) -> str:
    """The first failure that is met, as a title, else the first command that ended badly."""
    steps = [step for entry in entries if isinstance(entry, Entry) for step in entry.steps]
    for step in steps:
        found = found_in(step)
        if found is not None and found.primary is not None:
            failure = found.failures[found.primary]
            kind, message = failure.type.rpartition(".")[2], failure.message.strip().split("\n", 1)[0]
            return _title(f"{kind}: {message}" if kind and message else kind or message)
    ran = [step for step in steps if isinstance(step, Console)]
    failed = next((step for step in ran if step.exit), None)
    first = failed or next(iter(ran), None)
    words = next(iter(commands(first.body)), "") if first else ""
    return _title(f"{words} fails" if failed else words)


def _bounded(events: Sequence[Event]) -> tuple[list[Event], list[str]]:
    """At most `_MOST_EVENTS` of the events, and what was left out."""
    kept, lost = list(events), []
    if len(kept) > _MOST_EVENTS:
        kept = [one for one in kept if not (isinstance(one, Ran) and not one.exit and only_looks(one.command))]
        lost.append(f"{len(events) - len(kept)} commands that only looked at something: there are too many")
    if len(kept) > _MOST_EVENTS:
        lost.append(f"the first {len(kept) - _MOST_EVENTS} events: a record holds {_MOST_EVENTS}")
        kept = kept[-_MOST_EVENTS:]
    return kept, [one for one in lost if not one.startswith("0 ")]


def drafted(session: Session, steps: Steps, lost: Sequence[str] = ()) -> Drafted:
    """`session`, made of `steps`, with what is still open in it and what was lost."""
    return Drafted(session, tuple(_open(session, steps.story)), (*steps.lost, *lost))


def _open(session: Session, story: Story) -> Iterator[Missing]:
    if not story.started and not any(isinstance(e, Ran) and e.started for e in story.events):
        yield Missing("started", "when it began: the time at which the file was last changed stands there")
    for text in story.unknown:
        yield Missing("unknown", text)
    seen: set[str] = set()
    for one in missing(session):
        if one.code == "exit":
            continue
        words = one.message
        if one.code == "resolution" and ends_well(session):
            words += " (what was seen last ended well)"
        yield Missing(one.code, words)
    yield from _exits(session)
    for number, attempt in enumerate(session.attempts, start=1):
        for step in attempt.steps:
            if isinstance(step, Fix) and step.slug.startswith("change-") and step.slug not in seen:
                seen.add(step.slug)
                yield Missing("name", f"a name for the change of attempt {number}, called {step.slug} for now")
            if isinstance(step, Diagnosis):
                yield Missing("check", f"whether the diagnosis of attempt {number} holds: it is what was written then")
        yield from _unexplained(session, number)


def _exits(session: Session) -> Iterator[Missing]:
    steps = [(n, s) for n, attempt in enumerate(session.attempts, start=1) for s in attempt.steps]
    unknown = [n for n, s in steps if isinstance(s, Console) and s.exit is None and s.signal is None]
    if unknown:
        where = ", ".join(str(n) for n in list(dict.fromkeys(unknown))[:8])
        count = f"{len(unknown)} command{'s' * (len(unknown) != 1)}"
        yield Missing("exit", f"how {count} ended (attempt {where}): no exit status is told")


def _unexplained(session: Session, number: int) -> Iterator[Missing]:
    """An attempt that ended badly, the next one well, and no change between them."""
    if number >= len(session.attempts):
        return
    here, then = session.attempts[number - 1].steps, session.attempts[number].steps
    if any(isinstance(step, Fix) for step in here) or not any(ended_badly(step) for step in here):
        return
    if any(isinstance(step, Console) and step.exit == 0 for step in then) and not any(ended_badly(s) for s in then):
        yield Missing("fix", f"what made attempt {number + 1} go well after attempt {number}: no change is told")
