"""A signature: a class of equal failures, kept as segments from which every other form is rendered."""

from typing import NamedTuple

ALGORITHM = "kb1"


class Segment(NamedTuple):
    """A piece of the decisive line: a literal (`gap` is "") or a typed gap (`gap` names it, `text` shows it)."""

    text: str
    gap: str = ""


class Reason(NamedTuple):
    """One entry of the explanation: the rule that acted, and what it changed from and to."""

    rule: str
    before: str
    after: str


class Signature(NamedTuple):
    """The identity of a failure.

    `id` is `kb1-` and 10 base32 characters over `parts`; `title` reads well; `template` is the message with variable
    parts masked; `segments` render `pattern` (a portable regular expression for one line without prefixes, colours or
    line ends; "" when the line says too little to be a rule) and `anchor` (the longest literal that every match holds).
    `context` is a second pattern that must match a line shortly before when the first alone says too little ("" else).
    `signed` is the id that the rules gave it, where a decision of people gave it another one ("" else).
    """

    id: str
    title: str
    type: str
    template: str
    segments: tuple[Segment, ...]
    pattern: str
    anchor: str
    context: str = ""
    variant: str = ""
    parts: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    signed: str = ""
