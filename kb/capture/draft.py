"""A record in the making: steps are added in the order they happened, and fall into attempts by themselves.

What begins a new attempt: evidence that comes after a fix, and something that is run again after it failed. What is
said (a diagnosis, a note, a fix) belongs to the attempt that is going on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from kb.capture.runs import commands, ended_badly, only_looks, output, shows_failure, title_of, tried
from kb.record.model import Attempt, Console, DeclaredFailure, Diagnosis, Fix, Log, Resolution, Session, Step

#: Exit statuses of what did not run, or was stopped from the keyboard.
_NO_TRY = frozenset({126, 127, 130})


class Missing(NamedTuple):
    """Something that a person should still say: a stable word for programs, and what to say."""

    code: str
    message: str


@dataclass
class _Try:
    """An attempt being filled."""

    title: str
    reruns: int | None = None
    steps: list[Step] = field(default_factory=list)


class Draft:
    """A session to which steps are added; `session` is what it is at any time.

    Draft(Session(id=…, title=…, started=…)) begins an empty one. Not for use by several threads.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._tries = [_Try(a.title, a.reruns, list(a.steps)) for a in session.attempts]

    @property
    def attempts(self) -> int:
        """How many attempts there are."""
        return len(self._tries)

    @property
    def session(self) -> Session:
        """The session as it stands. Raises pydantic's ValidationError when a text given to it cannot be in a record."""
        attempts = tuple(Attempt(title=t.title, reruns=t.reruns, steps=tuple(t.steps)) for t in self._tries)
        return Session(**{**dict(self._session), "attempts": attempts})

    def add(self, *steps: Step, title: str = "", reruns: int | None = None) -> int:
        """Add steps that happened together; the number of the attempt they fell into.

        The first of them decides whether a new attempt begins, whose title `title` is when it is given.
        """
        if steps and (not self._tries or self._begins(steps[0])):
            self.begin(title or self._title(steps[0]), reruns=reruns)
        if steps:
            self._tries[-1].steps.extend(steps)
        return len(self._tries)

    def begin(self, title: str, *, reruns: int | None = None) -> int:
        """Begin a new attempt, whatever comes next; its number. An attempt without a step is given the new title."""
        if self._tries and not self._tries[-1].steps:
            self._tries[-1] = _Try(title, reruns)
        else:
            self._tries.append(_Try(title, reruns))
        return len(self._tries)

    def add_to(self, attempt: int, *steps: Step) -> int:
        """Add steps at the end of the attempt of this number (from 1), such as a fix that is named afterwards."""
        if not 1 <= attempt <= len(self._tries):
            raise ValueError(f"there is no attempt {attempt}")
        self._tries[attempt - 1].steps.extend(steps)
        return attempt

    def state(self, components: Mapping[str, str], environment: Mapping[str, str]) -> None:
        """Add versions and facts of the environment; what is stated already stays, since a person may have put it."""
        stated = self._session
        update = {
            "components": _with(stated.components, components),
            "environment": _with(stated.environment, environment),
        }
        self._session = stated.model_copy(update=update)

    def tag(self, *slugs: str) -> None:
        """Add tags; those that are there stay as they are."""
        self._session = self._session.model_copy(update={"tags": tuple(dict.fromkeys((*self._session.tags, *slugs)))})

    def finish(
        self,
        resolution: Resolution,
        ended: datetime | None,
        *,
        closing: str = "",
        title: str = "",
    ) -> None:
        """State how the session ended; an empty `closing` or `title` leaves what is there."""
        update: dict[str, object] = {"resolution": resolution, "ended": ended}
        if closing:
            update["closing"] = closing
        if title:
            update["title"] = title
        self._session = self._session.model_copy(update=update)

    def _begins(self, step: Step) -> bool:
        """Whether `step`, evidence, begins a new attempt."""
        here = self._tries[-1].steps
        if not here or not isinstance(step, Console | Log | DeclaredFailure):
            return False
        if any(isinstance(one, Fix) for one in here):
            return True
        if isinstance(step, Console):
            return self._ran_before(step, here)
        if isinstance(step, Log):
            return step.source is not None and any(isinstance(o, Log) and o.source == step.source for o in here)
        return False

    def _ran_before(self, step: Console, here: Sequence[Step]) -> bool:
        """Whether `step` runs what this attempt ran already, and it failed at some time of the session."""
        what = set(tried(step))
        if not any(isinstance(one, Console) and what & set(tried(one)) for one in here):
            return False
        runs = [one for t in self._tries for one in t.steps if isinstance(one, Console) and what & set(tried(one))]
        return any(ended_badly(one) for one in (step, *reversed(runs)))

    def _title(self, step: Step) -> str:
        title = title_of(step)
        return f"{title}, again" if any(t.title.removesuffix(", again") == title for t in self._tries) else title


def _with(stated: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """What is stated, in its order, and what is said in addition."""
    return {**stated, **{name: text for name, text in more.items() if name not in stated}}


def last_evidence(session: Session) -> Step | None:
    """The last step of a session that shows how something went: a console, a log, a declared failure."""
    evidence = (s for a in reversed(session.attempts) for s in reversed(a.steps))
    return next((s for s in evidence if isinstance(s, Console | Log | DeclaredFailure)), None)


def ends_well(session: Session) -> bool:
    """Whether something failed in the session, and what was seen last is no failure: a hint for people, no proof."""
    last = last_evidence(session)
    if last is None or ended_badly(last):
        return False
    return any(ended_badly(step) for attempt in session.attempts for step in attempt.steps if step is not last)


def failed_last(session: Session) -> Step | None:
    """The last step of a session that shows a failure; what only looks at something, or never ran, shows none."""
    steps = (step for attempt in reversed(session.attempts) for step in reversed(attempt.steps))
    return next((step for step in steps if ended_badly(step) and not _says_nothing(step)), None)


def still_failing(session: Session) -> Step | None:
    """What failed last in a session, unless the same was run or read after it and ended well; else None.

    The same is the very same command or log, and what an attempt shows that says that it tried what failed again.
    """
    failed = failed_last(session)
    if failed is None:
        return None
    at = next(n for n, attempt in enumerate(session.attempts, 1) if any(step is failed for step in attempt.steps))
    for number, attempt in reversed([*enumerate(session.attempts, 1)]):
        again = number > at and attempt.reruns is not None and _first(session, number) == _first(session, at)
        for step in reversed(attempt.steps):
            if step is failed:
                return failed
            if _went_well(failed, step) or (again and _ended_well(step)):
                return None
    return None


def _first(session: Session, number: int) -> int:
    """The attempt that a chain of `reruns` leads back to from an attempt."""
    while (before := session.attempts[number - 1].reruns) is not None and before < number:
        number = before
    return number


def _ended_well(step: Step) -> bool:
    """Whether a step behind the last failure shows that something ended well."""
    return isinstance(step, Log) or (isinstance(step, Console) and step.exit == 0)


def _went_well(failed: Step, later: Step) -> bool:
    """Whether `later`, which shows no failure, is the same command or log as `failed`, and ended well."""
    if isinstance(failed, Console) and isinstance(later, Console):
        # How a console ended is how its last command did: those before it may be in any other.
        return later.exit == 0 and _last(failed) == _last(later) != ""
    return isinstance(failed, Log) and isinstance(later, Log) and failed.source == later.source is not None


def _last(console: Console) -> str:
    """The last command of a console; "" where there is none."""
    ran = commands(console.body)
    return " ".join(ran[-1].split()) if ran else ""


def _says_nothing(step: Step) -> bool:
    """Whether a console is no try of anything: stopped by hand, not found, or a look that found nothing."""
    if not isinstance(step, Console):
        return False
    if step.exit in _NO_TRY or (step.signal or "").removeprefix("SIG") == "INT":
        return True
    ran = commands(step.body)
    return bool(ran) and all(map(only_looks, ran)) and not shows_failure(output(step.body))


def how_to_prove(failed: Step) -> str:
    """What would show that `failed` does so no more, in words."""
    if isinstance(failed, DeclaredFailure):
        return f"a run after the fix without {failed.slug}"
    what = title_of(failed).removeprefix("read ")
    return f"a run of `{what}` after the fix" if isinstance(failed, Console) else f"{what} of a run after the fix"


def missing(session: Session) -> tuple[Missing, ...]:
    """What a person should still say so that the record helps the next one, most needed first."""
    return tuple(_missing(session))


def _missing(session: Session) -> Iterable[Missing]:
    steps = [step for attempt in session.attempts for step in attempt.steps]
    evidence = [step for step in steps if isinstance(step, Console | Log | DeclaredFailure)]
    if not evidence:
        yield Missing("evidence", "nothing was run and no log was read: what did it look like?")
    if session.resolution == "open":
        yield Missing("resolution", "how it ended: fixed, worked-around, mitigated or abandoned")
    if session.resolution in ("fixed", "worked-around") and not any(isinstance(step, Fix) for step in steps):
        yield Missing("fix", "the name of the fix, and what was changed")
    if not session.closing and not any(isinstance(step, Diagnosis) for step in steps):
        yield Missing("sentence", "a sentence on what it was")
    for number, attempt in enumerate(session.attempts, start=1):
        for step in attempt.steps:
            if isinstance(step, Console) and step.exit is None and step.signal is None:
                yield Missing("exit", f"the exit status of what attempt {number} ran")
            if isinstance(step, Fix) and not step.blocks and not step.prose:
                yield Missing("change", f"what the fix {step.slug} of attempt {number} changed")
    failing = still_failing(session)
    if session.resolution == "fixed" and failing is not None:
        yield Missing("proof", f"{how_to_prove(failing)}, which shows that it helped")
