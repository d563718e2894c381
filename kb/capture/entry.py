"""What is added to a record in one go, and its form in the journal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kb.capture.draft import Draft
from kb.capture.redacting import Redact, redacted
from kb.record.model import Attempt, Step

_NO_STEPS = "steps"


@dataclass(frozen=True)
class Entry:
    """Steps that happened together, in order, and what was learned of the environment meanwhile.

    `title` is for the attempt that they begin, if they begin one; with `begin` they always do. `to` is the number of
    the attempt they belong to when it is not the last (0: the last). `reruns` is the attempt whose run is repeated.
    """

    steps: tuple[Step, ...] = ()
    title: str = ""
    begin: bool = False
    to: int = 0
    reruns: int | None = None
    components: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    def apply(self, draft: Draft) -> int:
        """Add this to `draft`; the number of the attempt it fell into (0 when there is none yet)."""
        draft.state(self.components, self.environment)
        if self.to and self.to <= draft.attempts:
            return draft.add_to(self.to, *self.steps)
        if self.begin:
            draft.begin(self.title or "untitled", reruns=self.reruns)
        return draft.add(*self.steps, title=self.title, reruns=self.reruns)


def clean(entry: Entry, redact: Redact) -> Entry:
    """`entry` with every text redacted that a person or a program gave."""
    return replace(
        entry,
        steps=tuple(_clean(step, redact) for step in entry.steps),
        title=one_line(redact(entry.title)),
        components=redacted(dict(entry.components), redact),
        environment=redacted(dict(entry.environment), redact),
    )


def one_line(text: str) -> str:
    """`text` as a title: on one line, without control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _clean(step: Step, redact: Redact) -> Step:
    keep = {"step", "slug", "kind", "confidence", "sha256", "language"}
    values = {key: value if key in keep else redacted(value, redact) for key, value in _plain(step).items()}
    return type(step)(**values)


def _plain(step: Step) -> dict[str, Any]:
    return step.model_dump()


def to_line(entry: Entry) -> str:
    """`entry` as one line of JSON."""
    attempt = Attempt(title=_NO_STEPS, steps=entry.steps)
    values = {
        "title": entry.title,
        "begin": entry.begin,
        "to": entry.to,
        "reruns": entry.reruns,
        "components": dict(entry.components),
        "environment": dict(entry.environment),
        _NO_STEPS: json.loads(attempt.model_dump_json())["steps"],
    }
    return json.dumps(values)


def from_line(line: str) -> Entry:
    """The entry that `to_line` wrote. Raises ValueError for anything else, such as a line that was cut off."""
    try:
        values = json.loads(line)
        steps = Attempt.model_validate_json(json.dumps({"title": _NO_STEPS, "steps": values.pop(_NO_STEPS)})).steps
        return Entry(steps=steps, **values)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError("no entry of a journal") from error
