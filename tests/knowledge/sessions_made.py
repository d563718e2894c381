"""Sessions written down briefly, for the tests of knowledge."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kb.knowledge.derive import derive
from kb.knowledge.model import SessionFacts, Try
from kb.record.model import Attempt, Console, Fix, Log, Session, Span, Step

INDEX = "IndexError: list index out of range"
KEY = "KeyError: 'config'"


def traceback(error: str = INDEX, file: str = "serve.py") -> str:
    """A Python traceback that ends in `error`."""
    return f'Traceback (most recent call last):\n  File "/srv/{file}", line 12, in load\n    read()\n{error}'


def ran(
    command: str, output: str = "", *, status: int | None = None, seconds: float = 0, signal: str | None = None
) -> Console:
    """One command with what it printed."""
    body = f"$ {command}\n{output}" if output else f"$ {command}"
    return Console(body=body, exit=status, signal=signal, duration=timedelta(seconds=seconds) if seconds else None)


def failed(error: str = INDEX, command: str = "python serve.py --port 8000", *, seconds: float = 0) -> Console:
    """A run that ends in `error`."""
    return ran(command, traceback(error), status=1, seconds=seconds)


def clean(command: str = "python serve.py --port 8000", *, output: str = "ready", seconds: float = 0) -> Console:
    """A run that ends well."""
    return ran(command, output, status=0, seconds=seconds)


def log(text: str, source: str | None = "server.log", first: int | None = None) -> Log:
    """An excerpt of a log."""
    lines = Span(first=first, last=first + text.count("\n")) if first else None
    return Log(body=text, source=source, lines=lines)


def fix(slug: str = "pad-the-list", kind: str = "patch", **fields: object) -> Fix:
    """A fix."""
    return Fix.model_validate({"slug": slug, "kind": kind, **fields})


def attempt(*steps: Step, reruns: int | None = None, title: str = "start the server") -> Attempt:
    """An attempt of these steps."""
    return Attempt(title=title, reruns=reruns, steps=steps)


def session(*attempts: Attempt, name: str = "s1", day: int = 1, **fields: object) -> Session:
    """A session of these attempts, started on that day of January 2026."""
    started = datetime(2026, 1, day, 12, tzinfo=UTC)
    base = {"id": name, "title": f"Session {name}", "started": started, "ended": started + timedelta(hours=2)}
    return Session.model_validate({**base, "resolution": "fixed", "attempts": attempts, **fields})


def facts_of(*attempts: Attempt, name: str = "s1", day: int = 1, **fields: object) -> SessionFacts:
    """The facts of a session of these attempts."""
    return derive(session(*attempts, name=name, day=day, **fields), f"sessions/{name}.md")


def tries_of(*attempts: Attempt) -> tuple[Try, ...]:
    """What the fixes of these attempts did."""
    return facts_of(*attempts).tries
