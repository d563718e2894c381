"""The rules by which a line of a pasted log is known as a signature, also where the line alone says too little.

`kb triage` compares whole failures and so knows a signature whose line says nothing by its frames. A page sees lines
only: there such a line must be the whole message, and the functions of the identity must stand near it. A rule is kept
only if it knows the evidence that the signature was made from; lines that none knows are taken as they were printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kb.knowledge.model import SignatureKnowledge
from kb.runbook.lines.parts import (
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
from kb.runbook.lines.printed import Printed, line_as_printed, message_near, named, place_of, printed_lines, says
from kb.runbook.noted import Noted
from kb.signature.model import Segment, Signature
from kb.signature.pattern import LONGEST, SHORTEST_ANCHOR, ruled, trimmed
from kb.signature.rule import CONTEXT_LINES, frames_follow

#: A line without functions must hold a literal of so many characters to be known by itself, the message of a mere
#: symptom so many: what is as short stands in many a log that has nothing to do with it.
_SHORTEST, _SHORTEST_SYMPTOM = 4, 24
#: A message in another script so many letters: some write a word in one.
_SHORTEST_FOREIGN = 6
#: As site/docs/assets/kb/matcher.js has them.
QUOTES = "`“‘'"
#: How many rules a signature has at most.
_FORMS = 4


class Near(NamedTuple):
    """What must stand in the line itself, in one of so many lines before it, or of so many after it."""

    parts: Parts
    before: int
    after: int


class LineRule(NamedTuple):
    """The parts of one line, and all that must stand near it.

    With all of `better` near it, the rule is surer than another that knows the same line. Where the text alone does not
    decide, `rank` is how much does: of the rules of such signatures, the highest is right, since a failure is but one.
    """

    parts: Parts
    near: tuple[Near, ...] = ()
    better: tuple[Near, ...] = ()
    rank: int = 0

    @property
    def pattern(self) -> str:
        """The parts as a regular expression."""
        return as_regex(self.parts)

    @property
    def literal(self) -> str:
        """The text that the pattern finds as it stands; "" when it has gaps."""
        return self.parts[0].text if len(self.parts) == 1 and not self.parts[0].gap else ""

    @property
    def contexts(self) -> tuple[str, ...]:
        """What must stand near as regular expressions."""
        return tuple(as_regex(one.parts) for one in self.near)

    @property
    def said(self) -> tuple[str, ...]:
        """What must stand near for people: as it is printed, where it is printed in one way."""
        return tuple(
            one.parts[0].text if len(one.parts) == 1 and not one.parts[0].gap else as_regex(one.parts)
            for one in self.near
        )

    @property
    def below(self) -> bool:
        """Whether what must stand near may stand after the line."""
        return any(one.after for one in self.near)

    @property
    def keys(self) -> tuple[str, ...]:
        """Words and pairs of words that every matching line holds."""
        return keys_of(self.parts)


class Lines(Mapping[str, tuple[LineRule, ...]]):
    """The rules of each signature, made when they are first asked for: its page shows them, and the box needs them."""

    def __init__(self, signatures: Mapping[str, SignatureKnowledge]) -> None:
        self._signatures = signatures
        self.noted: Noted[tuple[LineRule, ...]] = Noted()
        self._made = self.noted.all

    def __getitem__(self, signature_id: str) -> tuple[LineRule, ...]:
        if signature_id not in self._made:
            self._made[signature_id] = line_rules(self._signatures[signature_id])
        return self._made[signature_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)


def line_rules(known: SignatureKnowledge) -> tuple[LineRule, ...]:
    """The rules of a signature; () when no line can tell it: it was declared, cut, or says too little."""
    signature = known.signature
    if signature.type == "declared" or not any(one.text for one in signature.segments):
        return ()
    below = any(frames_follow(seen.failure.kind, seen.failure.language) for _, seen in known.occurrences)
    printed = list(printed_lines(known))
    usual = list(dict.fromkeys(_usual(signature, printed, CONTEXT_LINES if below else 0)))
    if printed and known.role != "root" and usual and sum(map(len, _literals(usual[0]))) < _SHORTEST_SYMPTOM:
        usual = []
    untold = [one for one in printed if not any(_tells(rule.parts, one.line) for rule in usual)]
    forms = usual if len(untold) < len(printed) else []
    forms = [*forms, *(rule for one in untold for rule in _as_printed(signature, one))] or usual
    rank = 0 if signature.pattern else _rank(signature)
    return tuple(dict.fromkeys(_findable(one)._replace(rank=rank) for one in forms))[:_FORMS]


def _tells(parts: Parts, line: str) -> bool:
    """Whether a rule of these parts knows `line`: the page takes what stands right behind a quotation mark for a mere
    quotation, so that a line that prints its message so needs a rule that begins before the mark."""
    at = line.find(parts[0].text) if not parts[0].gap else 0
    return in_order(parts, line) and not (at > 0 and line[at - 1] in QUOTES)


def _rank(signature: Signature) -> int:
    """1 with neither functions nor files, then by their number; a function counts more than a file."""
    return 1 + sum(1 if "." in name else 2 for name in _functions(signature))


def _literals(rule: LineRule) -> Iterator[str]:
    """The literals of the line and of what stands near it."""
    return (one.text for parts in (rule.parts, *(one.parts for one in rule.near)) for one in parts if not one.gap)


def _usual(signature: Signature, printed: Sequence[Printed], below: int) -> Iterator[LineRule]:
    """The rule by the pattern, or by the whole message where there is none: one for each way to print frames."""
    functions = _functions(signature)
    if signature.pattern:
        parts = parts_of(ruled(signature.segments))
        if not signature.context:
            better = tuple(Near(named(name), CONTEXT_LINES, CONTEXT_LINES) for name in functions)
            yield LineRule(parts, (), better)
            return
        context = (_plain(signature.context),)
        if not printed or any(_stands(context, one, below) for one in printed):
            yield LineRule(parts, (Near(context, CONTEXT_LINES, below),))
            return
        yield from (LineRule(parts, near) for one in printed if (near := _places(functions, one)))
        return
    foreign = () if functions or _says_too_little(signature) else _foreign(signature)
    if foreign:
        yield LineRule(foreign)
        return
    found = longest(parts_of(trimmed(signature.segments)))
    if len(found) < (1 if functions else _SHORTEST) or (not functions and _says_too_little(signature)):
        return
    if not functions and (_framed(printed) or (len(found) < SHORTEST_ANCHOR and not _without_type(signature))):
        return
    rule = LineRule(_whole(signature))
    if len(rule.pattern) > LONGEST:
        return
    if not functions:
        yield rule
        return
    placed = [rule._replace(near=near) for one in printed if (near := _places(functions, one))]
    yield from placed or [rule._replace(near=tuple(Near(named(name), CONTEXT_LINES, below) for name in functions))]


def _framed(printed: Sequence[Printed]) -> bool:
    """Whether frames decide: where none could be read, the same text with frames is another failure."""
    kinds = ((one.failure.kind, one.failure.language) for one in printed)
    return any(kind == "exception" or (kind == "crash" and language == "python") for kind, language in kinds)


def _functions(signature: Signature) -> list[str]:
    return [name for name in signature.parts[2:] if name]


def _says_too_little(signature: Signature) -> bool:
    return any(reason.rule == "says-too-little" for reason in signature.reasons)


def _plain(context: str) -> Segment:
    """The literal that a context's pattern is made of."""
    return Segment(context.replace("\\", ""))


def _stands(parts: Parts, one: Printed, below: int) -> bool:
    around = [*one.before, one.line, *(one.after if below else ())]
    return any(in_order(parts, line) for line in around)


def _places(functions: Sequence[str], one: Printed) -> tuple[Near, ...]:
    """How each function's frame is printed with this line; () when one is not."""
    found = [place_of(name, one) for name in functions]
    return tuple(Near(parts, CONTEXT_LINES, CONTEXT_LINES) for parts in found) if all(found) else ()


def _as_printed(signature: Signature, one: Printed) -> Iterator[LineRule]:
    """The rule of a line that says what happened in other words than the signature, or on other lines."""
    message = _without_type(signature) or parts_of(ruled(signature.segments))
    context = (Near((_plain(signature.context),), CONTEXT_LINES, 0),) if signature.context else ()
    turned = (*message, mark("rest"), Segment(signature.type))
    if signature.pattern and len(longest(message)) >= SHORTEST_ANCHOR and in_order(turned, one.line):
        yield LineRule(turned, context)
        return
    functions = [name for name in _functions(signature) if not in_order(tuple(map(Segment, _words(name))), one.line)]
    near = _places(functions, one)
    if (functions and not near) or not (signature.pattern or _functions(signature) or not _framed([one])):
        return
    if not near and signature.context and signature.context.removeprefix(" in ").replace("\\", "") not in one.line:
        near = context
    parts = line_as_printed(signature.type, one.line)
    if not in_order(message, one.line) and not says(one.line, signature.template):
        said = message_near(message, signature.template, one)
        if not said:
            return
        near = (*near, *(Near(some, before, after) for some, before, after in said))
    enough = sum(
        len(part.text.strip()) for some in (parts, *(some.parts for some in near)) for part in some if not part.gap
    )
    if parts and longest(parts) and enough >= SHORTEST_ANCHOR:
        yield LineRule(parts, near)


def _words(name: str) -> list[str]:
    return "".join(char if char.isalnum() or char == "_" else " " for char in name).split()


def _without_type(signature: Signature) -> Parts:
    """The parts of the message alone; () when no type stands before it."""
    head = f"{signature.type}: "
    if not signature.segments or signature.segments[0].gap or not signature.segments[0].text.startswith(head):
        return ()
    first = Segment(signature.segments[0].text.removeprefix(head))
    return parts_of(ruled((first, *signature.segments[1:])))


def _foreign(signature: Signature) -> Parts:
    """A message in another script, as it stands; () where it says too little, or is not of one.

    A pattern, which many engines must read alike, has but a gap for it; the page compares the letters themselves.
    """
    message = "".join(part.text for part in signature.segments if not part.gap)
    letters = sum(not char.isascii() and char.isalpha() for char in message)
    return ruled(signature.segments) if letters >= _SHORTEST_FOREIGN else ()


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
