"""The steps of an attempt as a page shows them: commands, logs with decisive lines marked, fixes with outcomes."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from kb.knowledge.model import Occurrence, SessionFacts
from kb.record.model import Console, DeclaredFailure, Diagnosis, Fix, Log, Note, Step
from kb.runbook.excerpts import Excerpt, Mark, lines_of, numbers_of, shortened
from kb.runbook.library import Library
from kb.runbook.phrases import span
from kb.runbook.reading import PROMPT, command_lines
from kb.runbook.views import LinkView, TryView, fix_link, signature_link, try_view

#: Lines of consoles and logs that a page shows in all, and the fewest of each.
LINES, FEWEST = 120, 12


class StepView(NamedTuple):
    """One step. `kind` chooses what the template shows; fields that the kind does not have are empty."""

    kind: str
    excerpt: Excerpt | None = None
    commands: str = ""
    facts: tuple[str, ...] = ()
    failed: bool = False
    prose: str = ""
    blocks: tuple[tuple[str, str], ...] = ()
    title: str = ""
    link: LinkView | None = None
    slug: str = ""
    tries: tuple[tuple[LinkView, TryView], ...] = ()
    passed: int = 0


def step_views(
    library: Library, facts: SessionFacts, number: int, steps: Sequence[Step], lines: int = LINES
) -> tuple[StepView, ...]:
    """The views of `steps`, those of the `number`-th attempt (from 1) of the session; of each console and log about
    `lines` lines are shown."""
    occurrences = [one for one in facts.occurrences if one.attempt == number]
    return tuple(_shortened(_view(library, facts, number, step, occurrences), lines) for step in steps)


def telling_steps(steps: Mapping[int, Sequence[StepView]], most: int) -> dict[int, tuple[StepView, ...]]:
    """The steps of each attempt, at most `most` in all: what was changed and concluded before what was run, what showed
    a failure before what did not. Where some are left out, a step of the kind "left-out" says how many."""
    every = [(attempt, place) for attempt, some in steps.items() for place in range(len(some))]
    if len(every) <= most:
        return {attempt: tuple(some) for attempt, some in steps.items()}
    kept = set(sorted(every, key=lambda at: (_rank(steps[at[0]][at[1]]), at))[:most])
    return {attempt: tuple(_with_gaps(attempt, some, kept)) for attempt, some in steps.items()}


def _rank(step: StepView) -> int:
    if step.kind in ("fix", "failure"):
        return 0
    if step.kind == "diagnosis" or (step.excerpt and any(mark.kind == "root" for mark in step.excerpt.marks.values())):
        return 1
    return 2 if step.failed else 3


def _with_gaps(attempt: int, steps: Sequence[StepView], kept: Container[tuple[int, int]]) -> Iterator[StepView]:
    passed = 0
    for place, step in enumerate(steps):
        if (attempt, place) not in kept:
            passed += 1
            continue
        if passed:
            yield StepView("left-out", passed=passed)
        passed = 0
        yield step
    if passed:
        yield StepView("left-out", passed=passed)


def lines_each(steps: int) -> int:
    """How many lines each of so many consoles and logs may show, for a page that loads quickly on a phone."""
    return max(FEWEST, LINES // max(steps, 1))


def _shortened(view: StepView, lines: int) -> StepView:
    return view._replace(excerpt=shortened(view.excerpt, lines)) if view.excerpt else view


def _view(
    library: Library, facts: SessionFacts, number: int, step: Step, occurrences: Sequence[Occurrence]
) -> StepView:
    match step:
        case Console():
            return _console(step, occurrences)
        case Log():
            return _log(step, occurrences)
        case Diagnosis():
            said = (f"confidence: {step.confidence}" if step.confidence else "", step.rules_out or "")
            return StepView("diagnosis", prose=step.prose, facts=(said[0],) if said[0] else (), title=said[1])
        case Fix():
            return _fix(library, facts, number, step)
        case DeclaredFailure():
            return _declared(library, step, occurrences)
        case Note():
            return StepView("note", prose=step.prose)


def _console(step: Console, occurrences: Sequence[Occurrence]) -> StepView:
    said = []
    if step.exit is not None:
        said.append(f"exit status {step.exit}")
    if step.signal:
        said.append(f"ended by signal {step.signal}")
    if step.duration is not None:
        said.append(f"took {span(step.duration.total_seconds())}")
    if step.cwd:
        said.append(f"in {step.cwd}")
    lines = lines_of(step.body)
    commands = command_lines(lines)
    marks = {**{place: Mark("command") for place in commands}, **_marks(lines, occurrences)}
    return StepView(
        "console",
        excerpt=Excerpt(lines, marks=marks),
        commands="\n".join(_without_prompt(lines[place]) for place in commands),
        facts=tuple(said),
        failed=bool(step.exit) or bool(step.signal),
    )


def _without_prompt(line: str) -> str:
    return line.removeprefix(PROMPT)


def _log(step: Log, occurrences: Sequence[Occurrence]) -> StepView:
    lines = lines_of(step.body)
    said = []
    if step.source:
        said.append(step.source)
    if step.lines:
        said.append(f"lines {step.lines.first} to {step.lines.last}")
    return StepView(
        "log",
        excerpt=Excerpt(lines, numbers_of(lines, 0, step.lines.first if step.lines else 0), _marks(lines, occurrences)),
        facts=tuple(said),
    )


def _marks(lines: Sequence[str], occurrences: Sequence[Occurrence]) -> dict[int, Mark]:
    """The lines that hold a failure's type and message, the primary one's marked as decisive."""
    ordered = sorted(occurrences, key=lambda occurrence: occurrence.primary)
    texts = [next(iter(lines_of(one.failure.text)), "").strip() for one in ordered]
    sought = set(filter(None, texts))
    if not sought:
        return {}
    # The first line of each text is marked: the last to be noted here.
    places = {text: place for place in range(len(lines) - 1, -1, -1) if (text := lines[place].strip()) in sought}
    return {
        places[text]: Mark("root", one.signature.segments) if one.primary else Mark("symptom")
        for text, one in zip(texts, ordered, strict=True)
        if text in places
    }


def _fix(library: Library, facts: SessionFacts, number: int, step: Fix) -> StepView:
    said: list[str] = [step.kind]
    if step.target:
        said.append(f"changes {step.target}")
    if step.applies:
        said.append(f"applies to {step.applies}")
    return StepView(
        "fix",
        link=fix_link(library, step.slug),
        slug=step.slug,
        facts=tuple(said),
        prose=step.prose,
        blocks=tuple((block.language, block.body) for block in step.blocks),
        tries=tuple(
            (signature_link(library, tried.signature_id), try_view(library, facts, tried))
            for tried in facts.tries
            if tried.fix == step.slug and tried.attempt == number
        ),
    )


def _declared(library: Library, step: DeclaredFailure, occurrences: Sequence[Occurrence]) -> StepView:
    said = []
    if step.observed:
        said.append(f"observed {step.observed}")
    if step.expected:
        said.append(f"expected {step.expected}")
    declared = (one for one in occurrences if one.failure.kind == "declared" and one.failure.type == step.slug)
    found = next(declared, None)
    return StepView(
        "failure",
        slug=step.slug,
        link=signature_link(library, found.signature.id) if found else LinkView(step.slug, ""),
        facts=tuple(said),
        prose=step.prose,
    )
