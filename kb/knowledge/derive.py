"""One session record to its facts: occurrences of signatures, fixes, and what each fix did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import takewhile

from kb.knowledge.applies import components
from kb.knowledge.attempts import AttemptRead, read_attempt
from kb.knowledge.identity import Identity
from kb.knowledge.model import Occurrence, SessionFacts
from kb.knowledge.proof import tries
from kb.knowledge.versions import key, versions_in
from kb.record.model import Console, DeclaredFailure, Diagnosis, Fix, Log, Note, Session


def derive(session: Session, path: str, identity: Identity | None = None) -> SessionFacts:
    """What `session`, read from the file `path`, teaches, its failures told apart as people decided (`identity`).

    Never raises for what a record may hold.
    """
    attempts = [read_attempt(attempt, number) for number, attempt in enumerate(session.attempts, 1)]
    if identity:
        attempts = [_settled(attempt, identity) for attempt in attempts]
    return SessionFacts(
        id=session.id,
        title=session.title,
        path=path,
        started=_utc(session.started),
        ended=_utc(session.ended) if session.ended else "",
        resolution=session.resolution,
        components=_components(session),
        environment=dict(session.environment),
        tags=tuple(session.tags),
        summary=session.introduction.strip().partition("\n\n")[0],
        attempts=tuple(attempt.title for attempt in session.attempts),
        occurrences=tuple(one for attempt in attempts for one in attempt.occurrences),
        fixes=tuple(fix for attempt in attempts for fix in attempt.fixes),
        tries=tuple(tries(attempts)),
        attempt_seconds=tuple(attempt.seconds for attempt in attempts),
        text="\n".join(_text(session, attempts)),
    )


def _components(session: Session) -> dict[str, str]:
    """The versions that `session` states, and those that its evidence states of what its fixes are for.

    Who reads the log of another machine has no such versions of his own. What was seen before the first fix counts: a
    fix may have been another version.
    """
    stated = dict(session.components)
    steps = [step for attempt in session.attempts for step in attempt.steps]
    known = set(map(key, stated))
    wanted = dict.fromkeys(name for step in steps if isinstance(step, Fix) for name in components(step.applies or ""))
    missing = [name for name in wanted if key(name) not in known]
    if missing:
        seen = takewhile(lambda step: not isinstance(step, Fix), steps)
        texts = [step.body for step in seen if isinstance(step, Console | Log)]
        stated |= versions_in("\n".join(texts), missing)
    return stated


def _settled(attempt: AttemptRead, identity: Identity) -> AttemptRead:
    def settled(one: Occurrence) -> Occurrence:
        return replace(one, signature=identity.settle(one.signature, one.failure))

    occurrences = tuple(map(settled, attempt.occurrences))
    return replace(attempt, occurrences=occurrences, root=settled(attempt.root) if attempt.root else None)


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _text(session: Session, attempts: list[AttemptRead]) -> Iterator[str]:
    """What people would search a session by, besides its evidence: its prose and its commands."""
    yield session.introduction
    for attempt, read in zip(session.attempts, attempts, strict=True):
        yield attempt.title
        yield from dict.fromkeys(command.text for ran in read.ran for command in ran.commands)
        for step in attempt.steps:
            match step:
                case Diagnosis() | Note():
                    yield step.prose
                case Fix():
                    yield step.prose
                case DeclaredFailure():
                    yield " ".join(filter(None, (step.slug, step.observed, step.expected, step.prose)))
                case Console() | Log():
                    pass
    yield session.closing
