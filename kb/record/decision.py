"""What people decide about signatures: two are one, one is two, one has a better title.

Rules tell failures apart by what a log shows; people know more. Each decision is one small YAML file in the folder
`decisions/`, so that those of two branches never conflict; `decision_file` reads and writes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Literal, NamedTuple

#: What a part of a signature is known by: a text that the failure's message holds, or its innermost own function.
By = Literal["message", "function"]


class Made(NamedTuple):
    """Where a decision stands (its file as seen from the knowledge base, and the line of its verb), and when, by whom
    and why it was made. What is not stated is ""."""

    path: str = ""
    line: int = 0
    date: str = ""
    by: str = ""
    why: str = ""


class Merge(NamedTuple):
    """The signatures `others` are `into`, which keeps its id; theirs stay as other names of it."""

    into: str
    others: tuple[str, ...]
    made: Made = Made()


class Split(NamedTuple):
    """The failures of `signature` for which `by` holds `text` are a signature of their own, called `title` if given."""

    signature: str
    by: By
    text: str
    title: str = ""
    made: Made = Made()


class Rename(NamedTuple):
    """`signature` is called `title`."""

    signature: str
    title: str
    made: Made = Made()


Decision = Merge | Split | Rename

_KINDS: dict[str, type[Merge] | type[Split] | type[Rename]] = {"merge": Merge, "split": Split, "name": Rename}


def kind_of(decision: Decision) -> str:
    """The verb of a decision: `merge`, `split` or `name`."""
    return next(name for name, kind in _KINDS.items() if isinstance(decision, kind))


def mentioned(decision: Decision) -> tuple[str, ...]:
    """The signature ids that a decision names."""
    return (decision.into, *decision.others) if isinstance(decision, Merge) else (decision.signature,)


def dump_decisions(decisions: Iterable[Decision]) -> str:
    """Decisions as one line of JSON; `load_decisions` gives them back."""
    return json.dumps([[kind_of(one), one._asdict()] for one in decisions], separators=(",", ":"))


def load_decisions(text: str) -> tuple[Decision, ...]:
    """The decisions that `dump_decisions` wrote."""
    found: list[Decision] = []
    for kind, fields in json.loads(text):
        fields["made"] = Made(*fields["made"])
        if "others" in fields:
            fields["others"] = tuple(fields["others"])
        found.append(_KINDS[kind](**fields))
    return tuple(found)
