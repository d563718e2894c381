"""How the failures of a signature were printed: their lines with what stood around them, as parts of rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kb.failures.lines import clean
from kb.failures.model import Failure
from kb.knowledge.model import SignatureKnowledge
from kb.runbook.lines.parts import BEGIN, LAST, OVER, Parts, in_order, longest, mark, parts_of
from kb.signature.masking import mask
from kb.signature.model import Segment
from kb.signature.pattern import SHORTEST_ANCHOR, ruled
from kb.signature.rule import CONTEXT_LINES
from kb.signature.rules import label

#: Occurrences that are looked at, the newest first.
_PRINTED = 8
#: A report says its message in so many lines around the one that begins it.
REPORT = 12
#: Where no line around says the message, so many of those below are taken; each must hold so many characters.
_BELOW, _TELLING = 2, 8
#: The share of a message's words by which a line says it.
_SHARED = 0.75
_WORD = re.compile(r"\w\w+")
_PLACEHOLDER = re.compile("<[a-z:]+>")
#: What may stand right before the name of a function: never the folder of a file of that name.
_GLUE, _PATH = re.compile(r"[^\s/\\]*$"), re.compile(r"\S*$")
#: Words before a function by which a frame is told from other text.
_LEADS = ("at", "in", "from", "by")


class Printed(NamedTuple):
    """A line as it was printed, the lines before and after it that were kept with it, and the failure."""

    line: str
    before: Sequence[str]
    after: Sequence[str]
    failure: Failure


def printed_lines(known: SignatureKnowledge) -> Iterator[Printed]:
    """The lines of the newest occurrences, each text once."""
    seen: set[str] = set()
    for _, one in known.occurrences[:_PRINTED]:
        around: list[str] | None = None
        for line in clean(one.failure.text).split("\n"):
            if not line.strip() or line in seen:
                continue
            seen.add(line)
            around = one.excerpt.split("\n") if around is None else around
            before = around[max(0, one.decisive - CONTEXT_LINES) : one.decisive]
            after = around[one.decisive + 1 : one.decisive + 1 + CONTEXT_LINES]
            yield Printed(line, before, after, one.failure)


def named(name: str) -> Parts:
    """A function's name as a word."""
    return (mark(BEGIN), Segment(name), mark(OVER))


def place_of(name: str, one: Printed) -> Parts:
    """The function as the nearest frame prints it, told from other text that holds its name; () when none does."""
    files = {re.split(r"[/\\]", frame.file)[-1] for frame in one.failure.frames if label(frame) == name} - {""}
    lines = [line for line in (*reversed(one.before), *one.after, one.line) if name in line]
    # A line of source holds names, too, but not the place of the frame.
    lines.sort(key=lambda line: not any(file in line for file in files if file != name))
    for line in map(clean, lines):
        at = line.find(name)
        while at >= 0:
            if parts := _place(line, at, name):
                return parts
            at = line.find(name, at + 1)
    return ()


def _place(line: str, at: int, name: str) -> Parts:
    glue = (_PATH if "." in name else _GLUE).search(line[:at])
    glued = glue[0] if glue else ""
    head, rest = line[: at - len(glued)], line[at + len(name) :]
    if (glued and (glued[-1].isalnum() or glued[-1] == "_")) or (rest[:1].isalnum() or rest[:1] == "_"):
        return ()
    if head.endswith(("/", "\\")):
        return ()
    lead = head.split()[-1:] if head.endswith(" ") else []
    led = f"{lead[0]} " if lead and lead[0] in _LEADS else ""
    tail = rest[:1] if rest[:1] and rest[0] in "(:+.'`" else ""
    if not (led or glued or tail):
        # `load total.js:2:48`: only what follows tells that this is a frame.
        tail = rest[: len(rest) - len(rest.lstrip())] + "".join(rest.split()[:1])
        if ":" not in tail:
            return ()
    shown = (*mask(led + glued).segments, Segment(name), *mask(tail).segments)
    over = () if tail else (mark(OVER),)
    return (mark(BEGIN), *parts_of(_joined(shown)), *over)


def line_as_printed(type_: str, line: str) -> Parts:
    """The line from where it names its type, else as a whole, its variable parts as gaps; whole where it is short."""
    name = type_.rsplit(".", 1)[-1]
    at = line.find(name) if name else -1
    end = at + len(name)
    cut = at >= 0 and line[end : end + 1] in ("", ":")
    segments = mask(line[at:].strip() if cut else line.strip()).segments
    parts = parts_of(ruled(segments))
    if parts and len(longest(parts)) < SHORTEST_ANCHOR + 4 and segments and not segments[-1].gap:
        return (mark(BEGIN), *parts, mark(LAST))
    return parts


def says(line: str, template: str) -> bool:
    """Whether `line` says what `template` says, if in another form."""
    words = set(_WORD.findall(_PLACEHOLDER.sub(" ", template)))
    return len(words) > 1 and len(words.intersection(_WORD.findall(line))) >= _SHARED * len(words)


def message_near(message: Parts, template: str, one: Printed) -> list[tuple[Parts, int, int]]:
    """What must stand near a line that does not say the message, with how many lines before and after it it may."""
    after = [clean(line) for line in one.after[:REPORT] if line.strip()]
    if any(in_order(message, line) for line in after):
        return [(message, 0, REPORT)]
    if any(in_order(message, clean(line)) for line in one.before[-REPORT:]):
        return [(message, REPORT, 0)]
    saying = [line for line in after if says(line, template)][:1]
    told = [parts_of(ruled(mask(line).segments)) for line in saying or after]
    return [(parts, 0, REPORT) for parts in told if len(longest(parts)) >= _TELLING][:_BELOW]


def _joined(segments: Sequence[Segment]) -> Iterator[Segment]:
    """Literals that stand next to each other as one."""
    literal = ""
    for segment in segments:
        if not segment.gap:
            literal += segment.text
            continue
        if literal:
            yield Segment(literal)
        literal = ""
        yield segment
    if literal:
        yield Segment(literal)
