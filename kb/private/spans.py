"""The secrets and personal values in one line: where they stand, and the line without them.

Which rules may match is for the caller to say: redaction asks Hyperscan for a whole block (prefilter.py), a signature
looks for plain words in its one line (suspects.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kb.private.personal import is_personal
from kb.private.plain import Places
from kb.private.rules import PERSONAL, TOKENS, Rule, expression, rules
from kb.private.values import is_secret

_BLOCK = 1 << 20
#: How often, on average, a rule may read a part of a long line again.
_PATIENCE = 4
#: How often a line is read again because a placeholder changed what stands beside it.
_PASSES = 4
_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+@-~")
_SPACE = b" \t\r\"',;"


class Span:
    """A part of a line to be replaced; `rank` is the rule's, the smaller one names the kind."""

    __slots__ = ("end", "kind", "personal", "rank", "start")

    def __init__(self, start: int, end: int, rank: int, kind: str, *, personal: bool) -> None:
        self.start, self.end, self.rank, self.kind, self.personal = start, end, rank, kind, personal


Placeholder = Callable[[bytes, Span], bytes]
Find = Callable[[bytes], Iterable[Span]]


def found(plain: bytes, chosen: Iterable[int]) -> Iterator[Span]:
    """What the rules with the indices `chosen` find in a line without escape sequences. Linear in its length."""
    table = rules()
    for index in chosen:
        rule = table[index]
        search, groups = expression(index)
        at, patience = 0, _PATIENCE * len(plain) + _BLOCK
        while at <= len(plain):
            match = search(plain, at)
            if match is None:
                break
            start, end = match.span(groups if groups < 2 else match.lastindex)
            good = _is_meant(rule, plain, match.start(), start, end)
            if good:
                yield Span(start, end, index, rule.kind, personal=rule.personal)
            # Inside of what is no secret there may be one; but a line made to be read again and again is not.
            patience -= end - at
            at = max(end if good or patience < 0 else start, at + 1)


def _is_meant(rule: Rule, plain: bytes, begin: int, start: int, end: int) -> bool:
    """Whether what `rule` found at `start` to `end` (its match begins at `begin`) is to be taken out."""
    if rule.table is PERSONAL:
        return is_personal(rule.kind, plain, start, end)
    if rule.table is TOKENS and rule.check == "any":
        return True
    return is_secret(rule.check, plain, begin, start, end)


def replaced(places: Places, spans: Sequence[Span], find: Find, placeholder: Placeholder) -> bytes:
    """The raw line of `places` with `spans`, and what `find` then still finds beside them, as placeholders."""
    raw = places.raw
    for _ in range(_PASSES):
        if not spans:
            return raw
        joined = merged(places.plain, spans)
        raw = places.replaced([(span.start, span.end, placeholder(places.plain, span)) for span in joined])
        if not any(_touches(places.plain, span) for span in joined):
            return raw
        # A placeholder ends a word where the secret did not, so what touches it is read anew.
        places = Places(raw)
        spans = list(find(places.plain))
    return raw


def _touches(plain: bytes, span: Span) -> bool:
    """Whether something that could be a part of another value stands right beside `span`."""
    before, after = plain[max(0, span.start - 1) : span.start], plain[span.end : span.end + 1]
    if span.personal:
        # Of a path, only what begins with a digit could be an address after the user is gone.
        path = after == b"/" and (span.kind != "user" or plain[span.end + 1 : span.end + 2].isdigit())
        return path or any(char in _WORD for char in before + after)
    return bool((before + after).strip(_SPACE))


def merged(plain: bytes, spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap as one, none of which cuts a character in two."""
    whole: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        while span.start > 0 and plain[span.start] & 0xC0 == 0x80:
            span.start -= 1
        while span.end < len(plain) and plain[span.end] & 0xC0 == 0x80:
            span.end += 1
        last = whole[-1] if whole else None
        if last is None or span.start >= last.end:
            whole.append(span)
            continue
        last.end = max(last.end, span.end)
        if (span.personal, span.rank) < (last.personal, last.rank):
            last.rank, last.kind, last.personal = span.rank, span.kind, span.personal
    return whole
