"""What one attempt of a session shows: what was run, how it ended, which failures its evidence holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kb.failures.model import Failure
from kb.knowledge.commands import Command, split_console
from kb.knowledge.evidence import Evidence, judge, read_evidence
from kb.knowledge.model import FixMade, Occurrence
from kb.record.model import Attempt, Console, DeclaredFailure, Fix, Log, Note
from kb.signature.sign import sign, sign_declared

#: Occurrences kept of one attempt: hostile evidence can hold thousands of different failures.
_MOST = 50
_LONGEST = 2000
_END_LINES = 20
_BY_HAND = frozenset({"INT", "SIGINT", "2"})
_SENTENCE = re.compile(r"(?s)(.+?[.:;!?])(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Ran:
    """One console of an attempt: its commands and how the last of them ended (`seconds` is 0 when not stated).

    `end` is the end of what was printed.
    """

    commands: tuple[Command, ...]
    exit: int | None
    signal: str | None
    seconds: float
    printed: bool
    end: str = ""

    @property
    def by_hand(self) -> bool:
        """Whether somebody stopped it from the keyboard: neither a success nor a failure."""
        return self.exit == 130 or (self.signal or "").upper() in _BY_HAND

    @property
    def failed(self) -> bool:
        """Whether it ended with an exit status or a signal that says it failed."""
        return not self.by_hand and (bool(self.exit) or bool(self.signal))


@dataclass(frozen=True, slots=True)
class AttemptRead:
    """An attempt as the proof needs it. `root` is the failure that it ended in; `main` is what was tried."""

    number: int
    reruns: int | None
    ran: tuple[Ran, ...]
    logs: tuple[str, ...]
    occurrences: tuple[Occurrence, ...]
    root: Occurrence | None
    main: Command | None
    fixes: tuple[FixMade, ...]
    said: str

    @property
    def seconds(self) -> float:
        """The stated durations of its commands, added up."""
        return sum(one.seconds for one in self.ran)


def read_attempt(attempt: Attempt, number: int) -> AttemptRead:
    """What `attempt`, the session's `number`-th (from 1), shows."""
    evidence, ran = _evidence(attempt, number)
    behind = judge(evidence)
    occurrences = [one for found in evidence for one in found.occurrences][:_MOST]
    root = behind.root if behind else None
    declared = [_declared(step, number) for step in attempt.steps if isinstance(step, DeclaredFailure)]
    occurrences.extend(declared)
    if declared:
        # A person declares a failure because the log does not show it: what the log does show came of it.
        root = declared[0]
    if root is None:
        root = _exit(ran, number)
        occurrences.extend([root] if root else [])
    if root is not None:
        occurrences = _with_primary(occurrences, root)
        root = replace(root, primary=True)
    return AttemptRead(
        number=number,
        reruns=attempt.reruns,
        ran=tuple(ran),
        logs=tuple(step.source or "" for step in attempt.steps if isinstance(step, Log)),
        occurrences=tuple(occurrences),
        root=root,
        main=_main(ran, behind),
        fixes=tuple(_fix(step, number) for step in attempt.steps if isinstance(step, Fix)),
        said=_said(attempt),
    )


def _evidence(attempt: Attempt, number: int) -> tuple[list[Evidence], list[Ran]]:
    """The evidence of an attempt, and its consoles."""
    evidence: list[Evidence] = []
    ran: list[Ran] = []
    for step in attempt.steps:
        if isinstance(step, Console):
            commands, output = split_console(step.body)
            seconds = step.duration.total_seconds() if step.duration else 0.0
            ran.append(Ran(commands, step.exit, step.signal, max(seconds, 0.0), bool(output.strip()), _end(output)))
            evidence.append(read_evidence(output, number, whole=step.body, console=len(ran) - 1))
        elif isinstance(step, Log):
            first = step.lines.first if step.lines else 1
            found = read_evidence(step.body, number, source=step.source or "", first=first, console=len(ran) - 1)
            evidence.append(found)
    return evidence, ran


def _with_primary(occurrences: Sequence[Occurrence], root: Occurrence) -> list[Occurrence]:
    kept = [replace(one, primary=True) if one is root else one for one in occurrences]
    if not any(one.primary for one in kept):
        kept = [replace(root, primary=True), *kept[: _MOST - 1]]
    return kept


def _declared(step: DeclaredFailure, number: int) -> Occurrence:
    observed = step.observed or ""
    failure = Failure(
        kind="declared",
        type=step.slug,
        message=observed,
        line=0,
        first_line=0,
        last_line=0,
        text=observed,
        reader="declared",
        because=("declared in the record",),
    )
    lines = [f"observed: {observed}"] if observed else []
    lines += [f"expected: {step.expected}"] if step.expected else []
    return Occurrence(sign_declared(step.slug, observed), failure, number, "root", False, "\n".join(lines))


def _exit(ran: Sequence[Ran], number: int) -> Occurrence | None:
    """The failure that a bad exit status is when nothing else says what went wrong."""
    for one in ran:
        if not one.failed:
            continue
        command = one.commands[-1] if one.commands else None
        kind = f"exit status {one.exit}" if one.exit else f"signal {one.signal}"
        failure = Failure(
            kind="exit",
            type=kind,
            message=command.program if command else "",
            line=command.line + 1 if command else 0,
            first_line=command.line + 1 if command else 0,
            last_line=command.line + 1 if command else 0,
            text=f"$ {command.text}"[:_LONGEST] if command else "",
            reader="exit",
            because=("the command failed, and its output holds no error that could be read",),
        )
        # What could not be read may be all that a person has to look for.
        return Occurrence(sign(failure), failure, number, "root", False, f"{failure.text}\n{one.end}".strip())
    return None


def _end(output: str) -> str:
    """The last lines of what was printed."""
    lines = output.rstrip().split("\n")[-_END_LINES:]
    return "\n".join(line[:_LONGEST] for line in lines)


def _main(ran: Sequence[Ran], behind: Evidence | None) -> Command | None:
    """What the attempt tried: the command behind its root failure, else one that failed, else the last of all."""
    near = ran[behind.console] if behind is not None and behind.console >= 0 else None
    if behind is not None and behind.root is not None and near is not None and not behind.log:
        above = [command for command in near.commands if command.line < behind.root.failure.line]
        if above or near.commands:
            return (above or near.commands)[-1]
    with_commands = [one for one in ran if one.commands]
    failing = [one for one in with_commands if one.failed]
    if failing:
        return failing[0].commands[-1]
    if near is not None and near.commands:
        return near.commands[-1]
    return with_commands[-1].commands[-1] if with_commands else None


def _fix(step: Fix, number: int) -> FixMade:
    return FixMade(
        slug=step.slug,
        kind=step.kind,
        title=_title(step),
        attempt=number,
        target=step.target or "",
        applies=step.applies or "",
        prose=step.prose,
        blocks=tuple((block.language, block.body) for block in step.blocks),
    )


def _title(step: Fix) -> str:
    """The first sentence of the fix's prose when it is short, else its slug in words."""
    text = " ".join(step.prose.replace("`", "").split())
    found = _SENTENCE.match(text)
    sentence = (found.group(1) if found else text).rstrip(".:;").strip()
    if 0 < len(sentence) <= 90 and sentence[0].isalnum():
        return sentence
    return " ".join(step.slug.split("-")).capitalize()


def _said(attempt: Attempt) -> str:
    """The prose of an attempt that may state how often or how long something ran."""
    parts = [attempt.title]
    parts += [step.prose for step in attempt.steps if isinstance(step, Note)]
    parts += [step.observed or "" for step in attempt.steps if isinstance(step, DeclaredFailure)]
    return "\n".join(parts)
