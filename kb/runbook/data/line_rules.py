"""The rules by which a line of a pasted log is known as a signature, also where the line alone says too little.

`kb triage` compares whole failures and so knows a signature whose line says nothing by its frames. A page sees lines
only: there such a line must be the whole message, and the functions of the identity must stand near it. A rule is kept
only if it knows the evidence that the signature was made from; else the line is taken as it was printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kb.failures.lines import clean
from kb.knowledge.model import Occurrence, SignatureKnowledge
from kb.runbook.data.parts import (
    BEGIN,
    LAST,
    OVER,
    Parts,
    as_regex,
    bounded,
    in_order,
    keys_of,
    longest,
    mark,
    parts_of,
)
from kb.signature.masking import mask
from kb.signature.model import Segment, Signature
from kb.signature.pattern import LONGEST, SHORTEST_ANCHOR, ruled, trimmed
from kb.signature.rule import CONTEXT_LINES, frames_follow

#: A line without functions must hold a literal of so many characters to be known by itself.
_SHORTEST = 4
#: Lines as printed that are looked at, the newest first, and how many of them become rules of their own.
_PRINTED, _FORMS = 8, 3
#: Lines below a line that does not say what happened, and how long they must be to say it.
_BELOW, _TELLING = 2, 8


class LineRule(NamedTuple):
    """The parts of one line, and those of lines each of which must stand near it.

    Lines after the matching one count as near only with `below`.
    """

    parts: Parts
    near: tuple[Parts, ...] = ()
    below: bool = False

    @property
    def pattern(self) -> str:
        """The parts as a regular expression."""
        return as_regex(self.parts)

    @property
    def contexts(self) -> tuple[str, ...]:
        """What must stand near as regular expressions."""
        return tuple(map(as_regex, self.near))

    @property
    def keys(self) -> tuple[str, ...]:
        """Words and pairs of words that every matching line holds."""
        return keys_of(self.parts)


class _Printed(NamedTuple):
    """A line as it was printed, and the lines before and after it that were kept with it."""

    line: str
    before: Sequence[str]
    after: Sequence[str]


def line_rule(known: SignatureKnowledge) -> LineRule | None:
    """The first rule of a signature; None when no line can tell it."""
    return next(iter(line_rules(known)), None)


def line_rules(known: SignatureKnowledge) -> tuple[LineRule, ...]:
    """The rules of a signature; () when no line can tell it: it was declared, cut, or says too little."""
    signature = known.signature
    if signature.type == "declared" or not any(one.text for one in signature.segments):
        return ()
    below = any(frames_follow(seen.failure.kind, seen.failure.language) for _, seen in known.occurrences)
    printed = list(_printed(known))
    usual = _usual(signature, below, printed)
    untold = [one for one in printed if usual is None or not in_order(usual.parts, one.line)]
    if usual and len(untold) < len(printed):
        return (_findable(usual), *map(_findable, _others(signature, usual, untold)))
    forms = _as_printed(signature, untold, below)
    return tuple(map(_findable, forms)) or ((_findable(usual),) if usual else ())


def _printed(known: SignatureKnowledge) -> Iterator[_Printed]:
    """The lines of the newest occurrences, each text once."""
    seen: set[str] = set()
    for _, one in known.occurrences[:_PRINTED]:
        lines = clean(one.failure.text).split("\n")
        for line in lines:
            if line.strip() and line not in seen:
                seen.add(line)
                yield _Printed(line, *_around(one))


def _around(one: Occurrence) -> tuple[Sequence[str], Sequence[str]]:
    lines = one.excerpt.split("\n")
    at = one.decisive
    return lines[max(0, at - CONTEXT_LINES) : at], lines[at + 1 : at + 1 + CONTEXT_LINES]


def _usual(signature: Signature, below: bool, printed: Sequence[_Printed]) -> LineRule | None:
    """The rule by the pattern, or by the whole message where there is none."""
    functions = tuple((mark(BEGIN), Segment(name), mark(OVER)) for name in signature.parts[2:] if name)
    if signature.pattern:
        parts = parts_of(ruled(signature.segments))
        near: tuple[Parts, ...] = ((Segment(_plain(signature.context)),),) if signature.context else ()
        if near and printed and not any(_stands(near, one, below) for one in printed):
            near = functions if functions and any(_stands(functions, one, True) for one in printed) else near
            below = below or near is functions
        return LineRule(parts, near, below)
    found = longest(parts_of(trimmed(signature.segments)))
    if len(found) < (1 if functions else _SHORTEST):
        return None
    if not functions and any(reason.rule == "says-too-little" for reason in signature.reasons):
        return None
    rule = LineRule(_whole(signature), functions, below)
    return rule if len(rule.pattern) <= LONGEST else None


def _plain(context: str) -> str:
    """The literal that a context's pattern is made of."""
    return context.replace("\\", "")


def _stands(near: Sequence[Parts], one: _Printed, below: bool) -> bool:
    around = [*one.before, *one.after] if below else one.before
    return all(any(in_order(parts, line) for line in around) for parts in near)


def _others(signature: Signature, usual: LineRule, untold: Sequence[_Printed]) -> Iterator[LineRule]:
    """A rule for a failure that was also printed as a record which names its type after the message."""
    body = _without_type(signature)
    if body and len(longest(body)) >= SHORTEST_ANCHOR:
        parts = (*body, mark("rest"), Segment(signature.type))
        if any(in_order(parts, one.line) for one in untold):
            yield usual._replace(parts=parts)


def _without_type(signature: Signature) -> Parts:
    """The parts of the message alone; () when no type stands before it."""
    head = f"{signature.type}: "
    if not signature.segments or signature.segments[0].gap or not signature.segments[0].text.startswith(head):
        return ()
    first = Segment(signature.segments[0].text.removeprefix(head))
    return parts_of(ruled((first, *signature.segments[1:])))


def _as_printed(signature: Signature, untold: Sequence[_Printed], below: bool) -> Iterator[LineRule]:
    """Rules of a failure that was never printed as its signature says it."""
    body = _without_type(signature)
    if signature.pattern and body and len(longest(body)) >= SHORTEST_ANCHOR:
        parts = (*body, mark("rest"), Segment(signature.type))
        if any(in_order(parts, one.line) for one in untold):
            near: tuple[Parts, ...] = ((Segment(_plain(signature.context)),),) if signature.context else ()
            yield LineRule(parts, near)
            return
    functions = tuple((mark(BEGIN), Segment(name), mark(OVER)) for name in signature.parts[2:] if name)
    forms: dict[Parts, None] = {}
    for one in untold:
        if len(forms) == _FORMS:
            return
        parts = parts_of(ruled(mask(one.line).segments))
        if len(longest(parts)) < SHORTEST_ANCHOR or parts in forms:
            continue
        near = functions
        if functions and not _stands(functions, one, True):
            continue
        if not in_order(body or parts_of(ruled(signature.segments)), one.line):
            near = (*near, *_said_below(one))
            if len(near) == len(functions):
                continue
        forms[parts] = None
        yield LineRule(parts, near, below=True)


def _said_below(one: _Printed) -> Iterator[Parts]:
    """The first lines below that say something."""
    told = (parts_of(ruled(mask(clean(line)).segments)) for line in one.after[: 4 * _BELOW] if line.strip())
    yield from [parts for parts in told if len(longest(parts)) >= _TELLING][:_BELOW]


def _findable(rule: LineRule) -> LineRule:
    """The rule; where no word of it is certain, a longer word at its ends is not taken for its own."""
    return rule if rule.keys else rule._replace(parts=bounded(rule.parts))


def _whole(signature: Signature) -> Parts:
    """The parts of a line that ends with the whole message, before which no longer word stands."""
    return (mark(BEGIN), *parts_of(_stripped(signature)), mark(_end(signature)))


def _end(signature: Signature) -> str:
    """What must follow the message: nothing, unless it is long enough to be told from others; some print a place."""
    if not signature.template:
        # A type alone is printed with and without its colon.
        return LAST
    parts = _stripped(signature)
    return OVER if len(parts) == 1 and len(parts[0].text) >= SHORTEST_ANCHOR else LAST


def _stripped(signature: Signature) -> tuple[Segment, ...]:
    """The segments without space at their ends."""
    parts = list(signature.segments)
    if not parts[0].gap:
        parts[0] = Segment(parts[0].text.lstrip())
    if not parts[-1].gap:
        parts[-1] = Segment(parts[-1].text.rstrip())
    return tuple(part for part in parts if part.text)
