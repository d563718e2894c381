"""The rule by which a line of a pasted log is known as a signature, also where the line alone says too little.

`kb triage` compares whole failures and so knows a signature whose line says nothing by its frames. A page sees lines
only: there such a line must be the whole message, and the functions of the identity must stand near it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kb.failures.lines import clean
from kb.knowledge.model import SignatureKnowledge
from kb.signature.gaps import GAPS
from kb.signature.model import Segment, Signature
from kb.signature.pattern import LONGEST, SHORTEST_ANCHOR, anchor, escape, render
from kb.signature.rule import frames_follow

#: A line without functions must hold a literal of so many characters to be known by itself.
_SHORTEST = 4

_WORD = re.compile(r"[A-Za-z0-9_]{3,}")
_GAP = "\0"
_BEFORE, _AFTER = "(?:^|[^0-9A-Za-z_])", "(?:$|[^0-9A-Za-z_])"
#: Marks at the end of a message are no part of a signature.
_MARKS = r"[ \t.,;:]*$"


class LineRule(NamedTuple):
    """A pattern for one line, and patterns each of which must match a line near it.

    `anchor` stands in every matching line, `words` are whole words of every matching line. Lines after the matching
    one count as near only with `below`.
    """

    pattern: str
    contexts: tuple[str, ...]
    anchor: str
    words: tuple[str, ...]
    below: bool = False


def line_rule(known: SignatureKnowledge) -> LineRule | None:
    """The rule of a signature; None when no line can tell it: it was declared, or has neither text nor functions."""
    signature = known.signature
    below = any(frames_follow(seen.failure.kind, seen.failure.language) for _, seen in known.occurrences)
    if signature.pattern and (turned := _type_after(known)):
        return turned._replace(below=below)
    if signature.pattern:
        context = tuple(one for one in (signature.context,) if one)
        return LineRule(signature.pattern, context, signature.anchor, certain_words(signature.anchor), below)
    functions = tuple(name for name in signature.parts[2:] if name)
    found = anchor(signature.segments)
    if signature.type == "declared" or len(found) < (1 if functions else _SHORTEST):
        return None
    if not functions and any(reason.rule == "says-too-little" for reason in signature.reasons):
        return None
    pattern = _whole(signature)
    if len(pattern) > LONGEST:
        return None
    contexts = tuple(f"{_BEFORE}{escape(name)}{_AFTER}" for name in functions)
    return LineRule(pattern, contexts, found, _whole_words(signature), below)


def _type_after(known: SignatureKnowledge) -> LineRule | None:
    """The rule of a failure that was only ever printed as a record which names its type after the message."""
    signature = known.signature
    lines = [clean(seen.failure.text) for _, seen in known.occurrences]
    head = f"{signature.type}: "
    if not signature.segments or not signature.segments[0].text.startswith(head):
        return None
    if any(re.search(signature.pattern, line) for line in lines):
        return None
    body = (Segment(signature.segments[0].text.removeprefix(head)), *signature.segments[1:])
    pattern, found = f"{render(body)}.*{escape(signature.type)}", anchor(body)
    if len(found) < SHORTEST_ANCHOR or not any(re.search(pattern, line) for line in lines):
        return None
    contexts = (signature.context,) if signature.context else ()
    return LineRule(pattern, contexts, found, certain_words(found))


def certain_words(literal: str) -> tuple[str, ...]:
    """The words that stand whole in every line that holds `literal`: those that do not touch its ends."""
    return tuple(match[0] for match in _WORD.finditer(literal) if match.start() > 0 and match.end() < len(literal))


def _whole(signature: Signature) -> str:
    """A pattern for a line that ends with the whole message, before which no longer word stands."""
    body = "".join(GAPS[part.gap].regex if part.gap else escape(part.text) for part in _stripped(signature))
    return f"{_BEFORE}{body}{_end(signature)}"


def _end(signature: Signature) -> str:
    """What must follow the message: nothing, unless it is long enough to be told from others; some print a place."""
    if not signature.template:
        # A type alone is printed with and without its colon.
        return _MARKS
    parts = _stripped(signature)
    return _AFTER if len(parts) == 1 and len(parts[0].text) >= SHORTEST_ANCHOR else _MARKS


def _stripped(signature: Signature) -> tuple[Segment, ...]:
    """The segments without space at their ends."""
    parts = list(signature.segments)
    if not parts[0].gap:
        parts[0] = Segment(parts[0].text.lstrip())
    if not parts[-1].gap:
        parts[-1] = Segment(parts[-1].text.rstrip())
    return tuple(part for part in parts if part.text)


def _whole_words(signature: Signature) -> tuple[str, ...]:
    """The words that stand whole in every line that the pattern of the whole message matches."""
    text = "".join(_GAP if part.gap else part.text for part in _stripped(signature))
    # What is not printable ASCII becomes a gap in the pattern too.
    text = f" {text} ".translate(dict.fromkeys({ord(char) for char in text if not " " <= char <= "~"}, _GAP))
    return tuple(m[0] for m in _WORD.finditer(text) if text[m.start() - 1] != _GAP and text[m.end()] != _GAP)
