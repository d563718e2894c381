"""Making an imported session fit into a record: shorter outputs first, then fewer commands, then fewer attempts."""

from __future__ import annotations

from collections.abc import Iterator

from kb.capture.fitting import cut_step
from kb.capture.runs import commands, ended_badly, only_looks
from kb.errors import RecordError
from kb.record.model import Attempt, Console, Diagnosis, Fix, Note, Session, Step
from kb.record.writer import write_session

#: Outputs are cut to so many characters each, patches to more: one with a hole is none.
_LIMITS = (32_000, 8_000, 2_000)
_SHORT, _SHORTEST, _PATCH, _SAID = 600, 250, 48_000, 16_000


def fitted(session: Session) -> tuple[Session, tuple[str, ...]]:
    """`session` so that it can be written as a record, and what was left out for that.

    Raises RecordError when it cannot be written for another reason than its size.
    """
    for candidate, lost in _candidates(session):
        try:
            write_session(candidate)
        except RecordError as error:
            if not any(problem.code == "too-large" for problem in error.problems):
                raise
            last = error
        else:
            return candidate, lost
    raise last


def _candidates(session: Session) -> Iterator[tuple[Session, tuple[str, ...]]]:
    yield session, ()
    for limit in _LIMITS:
        yield _with(session, tuple(_cut(a, limit, _PATCH) for a in session.attempts)), (_shorter(limit),)
    attempts = tuple(_cut(_quiet(a), _SHORT, _PATCH // 4) for a in session.attempts)
    lost = [_shorter(_SHORT), "what commands printed that only looked at something and ended well"]
    yield _with(session, attempts), tuple(lost)
    attempts = tuple(_cut(a, _SHORTEST, _PATCH // 8) for a in attempts)
    lost[0] = _shorter(_SHORTEST)
    yield _with(session, attempts), tuple(lost)
    left = 0
    while len(attempts) > 1:
        left += len(attempts) // 2
        attempts = tuple(_standing_alone(a) for a in attempts[len(attempts) // 2 :])
        yield _with(session, attempts), (*lost, f"the first {left} attempts: the record is full")
    last = attempts[0].steps if attempts else ()
    while len(last) > 1:
        last = last[len(last) // 2 :]
        only = _with(session, (attempts[0].model_copy(update={"steps": last}),))
        yield only, (*lost, "most of what was run: the record is full")


def _shorter(limit: int) -> str:
    return f"the middle of outputs, and the end of prose, of more than {limit:,} characters: the record is full"


def _with(session: Session, attempts: tuple[Attempt, ...]) -> Session:
    said = {"introduction": _less(session.introduction, _SAID), "closing": _less(session.closing, _SAID)}
    return session.model_copy(update={"attempts": attempts, **said})


def _standing_alone(attempt: Attempt) -> Attempt:
    return attempt.model_copy(update={"reruns": None})


def _cut(attempt: Attempt, limit: int, patch: int) -> Attempt:
    steps = (cut_step(step, max(limit, patch) if isinstance(step, Fix) else limit) for step in attempt.steps)
    return attempt.model_copy(update={"steps": tuple(_with_less_prose(step, limit) for step in steps)})


def _with_less_prose(step: Step, limit: int) -> Step:
    if not isinstance(step, Note | Diagnosis | Fix) or len(step.prose) <= limit:
        return step
    return step.model_copy(update={"prose": _less(step.prose, limit)})


def _less(text: str, limit: int) -> str:
    """The beginning of a text, up to the end of a paragraph or a word."""
    if len(text) <= limit:
        return text
    cut = max(text.rfind("\n\n", limit // 2, limit), text.rfind(" ", limit // 2, limit))
    return f"{text[: cut if cut > 0 else limit].rstrip()}\n\n[... the rest is cut]"


def _quiet(attempt: Attempt) -> Attempt:
    return attempt.model_copy(update={"steps": tuple(_without_output(step) for step in attempt.steps)})


def _without_output(step: Step) -> Step:
    if not isinstance(step, Console) or step.exit != 0 or ended_badly(step):
        return step
    ran = commands(step.body)
    if not ran or not all(only_looks(one) for one in ran):
        return step
    return step.model_copy(update={"body": "".join(f"$ {one}\n" for one in ran)})
