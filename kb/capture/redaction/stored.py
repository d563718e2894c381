"""Records that are stored already: what is still in them, and the same records without it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kb.capture.redaction.memory import Memory
from kb.capture.redaction.policy import Policy
from kb.capture.redaction.redactor import Redactor
from kb.errors import Location, Problem
from kb.record.model import Session
from kb.record.reader import read_session
from kb.record.writer import write_session


class Changed(NamedTuple):
    """A line that redaction changes: its 1-based number, what was taken out of it, and the line afterwards."""

    number: int
    kinds: tuple[str, ...]
    text: str


def changed_lines(text: str, redactor: Redactor) -> Iterator[Changed]:
    """The lines of `text` in which `redactor` finds something, in order."""
    done = redactor.text(text)
    if done == text:
        return
    for number, (before, after) in enumerate(zip(text.split("\n"), done.split("\n"), strict=True), 1):
        if before != after:
            yield Changed(number, _kinds(before, after), after)


def _kinds(before: str, after: str) -> tuple[str, ...]:
    """The kinds of placeholders of which `after` has more than `before`."""
    kinds = [part.split(">")[0].rpartition(":") for part in after.split("<")[1:] if ":" in part.split(">")[0]]
    named = (last if first == "secret" else first for first, _, last in kinds)
    return tuple(dict.fromkeys(name for name in named if after.count(name) > before.count(name))) or ("value",)


def secrets_in(text: str, path: str, redactor: Redactor) -> list[Problem]:
    """A problem for each line of `text` (the file at `path`) in which a secret stands. No secret is in a problem."""
    return [
        Problem(
            Location(path, changed.number),
            "secret",
            f"a secret ({', '.join(changed.kinds)}) is stored here",
            "`kb redact --write` takes it out; change it where it is valid, since others may have read it",
        )
        for changed in changed_lines(text, redactor)
    ]


def judged(text: str, path: str) -> list[Problem] | None:
    """What an independent scanner, betterleaks, finds in `text`; None when it is not installed. Nothing is verified
    over a network.
    """
    try:
        import betterleaks
    except ImportError:
        return None
    return [
        Problem(
            Location(path, finding.location.start_line),
            "secret-betterleaks",
            f"betterleaks takes something here for a secret ({finding.rule_id})",
            "take it out by hand if it is one",
        )
        for finding in betterleaks.scan_string(text)
        # It takes placeholders for passwords.
        if "<secret:" not in finding.match.full
    ]


def redacted_record(text: str, policy: Policy, known: frozenset[str]) -> str:
    """The record `text` with all that `policy` takes out replaced; numbers that it holds already are not given again.

    The text is changed in place, line by line, and stays the record it was. Where a placeholder could not stand (in a
    bare word of an attribute), the record is written anew from its values. Raises RecordError when that is impossible.
    """
    done = Redactor(policy, known, memory=Memory(taken=text)).text(text)
    if done == text:
        return text
    before, after = read_session(text, ""), read_session(done, "")
    if before.session is None or len(after.problems) <= len(before.problems):
        return done
    redactor = Redactor(policy, known, memory=Memory(taken=text))
    return write_session(Session.model_validate(_redacted(before.session.model_dump(), redactor)))


def _redacted(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return redactor.text(value)
    if isinstance(value, dict):
        return {key: _redacted(item, redactor) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_redacted(item, redactor) for item in value)
    return value
