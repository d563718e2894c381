"""Naming a fix after the fact: which attempt it ends, and what was changed there."""

from __future__ import annotations

from typing import NamedTuple

from kb.capture.current import Current
from kb.capture.patch import Patch, patch_between
from kb.capture.redacting import redactor
from kb.capture.runs import commands, ended_badly, found_in, only_looks, tried
from kb.capture.snapshot import Snapshot, start_of, take
from kb.record.model import Attempt, Console, DeclaredFailure, Fix, Log, Session
from kb.signature.model import Signature
from kb.signature.sign import sign, sign_declared


class Change(NamedTuple):
    """What a fix changed: the `attempt` that it ends, the patch, or the commands that were run for it.

    `after` is the working tree that the next fix in that attempt starts from.
    """

    attempt: int
    patch: Patch
    commands: tuple[str, ...]
    after: Snapshot | None


def change_in(current: Current, session: Session, attempt: int = 0) -> Change:
    """What was changed for a fix that is named now, for the `attempt` of this number (0: found out).

    A fix is named before the run that shows what it did, or after it: when nothing changed since the last attempt
    began, but something did before that, it belongs to the attempt before, unless that one names a fix already.
    """
    number = attempt or len(session.attempts)
    if not number:
        return Change(0, Patch("", ()), (), None)
    rerun = start_of(current, number + 1) if number < len(session.attempts) else None
    change = _between(current, session, number, rerun or take(current))
    if attempt or change.patch.text or change.commands or number == 1 or _has_fix(session.attempts[number - 2]):
        return change
    earlier = _between(current, session, number - 1, start_of(current, number))
    return earlier if earlier.patch.text or earlier.commands else change


def root_of(session: Session) -> Signature | None:
    """The signature of the failure that was seen last in a session; None when none was."""
    for attempt in reversed(session.attempts):
        declared = [step for step in attempt.steps if isinstance(step, DeclaredFailure)]
        if declared:
            return sign_declared(declared[0].slug, declared[0].observed or "")
        for step in attempt.steps:
            found = found_in(step)
            if found is not None and found.primary is not None:
                return sign(found.failures[found.primary])
    return None


def _between(current: Current, session: Session, number: int, after: Snapshot | None) -> Change:
    """What changed from the start of an attempt to the working tree `after`."""
    before = start_of(current, number)
    patch = Patch("", ())
    if before is not None and after is not None:
        patch = patch_between(before, after, redactor(current.home, current.id), without=_logs(session))
    return Change(number, patch, _ran_for_it(session.attempts[number - 1]), after)


def _logs(session: Session) -> frozenset[str]:
    """The names of the logs that a session read: they change with every run."""
    steps = (step for attempt in session.attempts for step in attempt.steps)
    return frozenset(step.source.rpartition("/")[2] for step in steps if isinstance(step, Log) and step.source)


def _ran_for_it(attempt: Attempt) -> tuple[str, ...]:
    """The commands of an attempt that ended well after the one that failed: what was run to mend it."""
    failed: set[str] = set()
    ran: list[str] = []
    for step in attempt.steps:
        if isinstance(step, Fix):
            ran.clear()
        if not isinstance(step, Console):
            continue
        if ended_badly(step):
            failed |= set(tried(step))
            ran.clear()
        elif failed and not failed & set(tried(step)):
            ran.extend(commands(step.body))
    return tuple(command for command in ran if not only_looks(command))


def _has_fix(attempt: Attempt) -> bool:
    return any(isinstance(step, Fix) for step in attempt.steps)
