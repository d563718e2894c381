"""Redaction: secrets and personal values leave a text before it is stored, shown or sent.

Two stages: Hyperscan looks at a whole block once and names the lines in which a rule may match; only those are read
with RE2, on the line as a person sees it (no colours), and what is found is cut out of the line as it was printed.
Lines, keys, quotes and the rest of a line stay. A secret becomes `<secret:kind>`: the kind depends on the secret alone,
so it is the same in every text of a session, and nothing has to be remembered of it. A personal value becomes
`<kind:number>` (memory.py). Text that was redacted is left as it is by a second pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kb.capture.redaction.blocks import KIND, KeyBlock
from kb.capture.redaction.known import forms, is_fit, machine_secrets
from kb.capture.redaction.memory import Memory
from kb.capture.redaction.personal import is_personal, own_host
from kb.capture.redaction.plain import Places, without_escapes
from kb.capture.redaction.policy import Policy, policy_of
from kb.capture.redaction.prefilter import Hits
from kb.capture.redaction.rules import PERSONAL, TOKENS, VALUE, Rule, compiled, expression, rules
from kb.capture.redaction.values import is_secret
from kb.home import Home

_BLOCK = 1 << 20
#: How often, on average, a rule may read a part of a long line again.
_PATIENCE = 4
#: How often a line is read again because a placeholder changed what stands beside it.
_PASSES = 4
_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+@-~")
_SPACE = b" \t\r\"',;"


class _Span:
    """A part of a line to be replaced; `rank` is the rule's, the smaller one names the kind."""

    __slots__ = ("end", "kind", "personal", "rank", "start")

    def __init__(self, start: int, end: int, rank: int, kind: str, *, personal: bool) -> None:
        self.start, self.end, self.rank, self.kind, self.personal = start, end, rank, kind, personal


class Redactor:
    """Redacts the texts of one session: the same value has the same placeholder in all of them.

    `known` are values that are secret whatever they look like (`machine_secrets()` finds those of this machine; short
    ones and words are passed over). `memory` holds the numbers of personal values; without one they are this object's.
    """

    def __init__(
        self, policy: Policy = Policy.PERSONAL, known: Iterable[str] = (), *, memory: Memory | None = None
    ) -> None:
        self._policy = policy
        self._memory = memory or Memory()
        self._block = KeyBlock()
        self._hits = Hits(personal=policy is Policy.PERSONAL) if policy is not Policy.OFF else None
        self._literals = _literals(forms(value for value in known if is_fit(value)))
        self._host = _own_host() if policy is Policy.PERSONAL else None
        #: How often each kind was taken out.
        self.counts: Counter[str] = Counter()

    def text(self, text: str) -> str:
        """`text` (any number of lines) redacted. Linear in its length."""
        if self._hits is None or not text:
            return text
        self._block = KeyBlock()
        data = text.encode("utf-8", "surrogatepass")
        done = b"".join(self._of_block(block) for block in _blocks(data))
        return text if done == data else done.decode("utf-8", "surrogatepass")

    def line(self, line: str) -> str:
        """One finished line redacted, with or without its line end; a key that takes several lines is followed."""
        if self._hits is None or not line:
            return line
        data = line.encode("utf-8", "surrogatepass")
        done = self._of_block(data)
        return line if done == data else done.decode("utf-8", "surrogatepass")

    def _of_block(self, block: bytes) -> bytes:
        assert self._hits is not None
        plain = without_escapes(block)
        hits = self._hits.lines(plain)
        for literal in (self._literals, self._host):
            if literal is not None and literal.search(plain):
                for match in literal.finditer(plain):
                    hits.setdefault(plain.rfind(b"\n", 0, match.start()) + 1, [])
        if not hits and not self._block.open:
            return block
        lines = block.split(b"\n")
        index = at = done = 0
        while self._block.open and done < len(lines) and (lines[done] or len(lines) > 1):
            lines[done] = self._of_line(lines[done], hits.get(at, ()) if done == 0 else None)
            done += 1
        for start in sorted(hits):
            index += plain.count(b"\n", at, start)
            at = start
            if index < done:
                continue
            lines[index] = self._of_line(lines[index], hits[start])
            done = index + 1
            while self._block.open and done < len(lines) and (done < len(lines) - 1 or lines[done]):
                lines[done] = self._of_line(lines[done], None)
                done += 1
        return b"\n".join(lines)

    def _of_line(self, raw: bytes, chosen: Sequence[int] | None) -> bytes:
        """One line redacted; `chosen` are the rules that may match, None when that is not known."""
        places = Places(raw)
        plain = places.plain
        if chosen is None:
            chosen = self._rules_of(plain)
        spans: list[_Span] = []
        if self._block.open:
            inside = self._block.span(plain)
            if inside:
                spans.append(_Span(*inside, -1, KIND, personal=False))
        if not self._block.open:
            self._block.begin(plain)
        spans.extend(self._found(plain, chosen))
        for _ in range(_PASSES):
            if not spans:
                return raw
            merged = _merged(plain, spans)
            raw = places.replaced([self._replacement(plain, span) for span in merged])
            if not any(_touches(plain, span) for span in merged):
                return raw
            # A placeholder ends a word where the secret did not, so what touches it is read anew.
            places = Places(raw)
            plain = places.plain
            spans = list(self._found(plain, self._rules_of(plain)))
        return raw

    def _rules_of(self, plain: bytes) -> list[int]:
        assert self._hits is not None
        return [rule for found in self._hits.lines(plain).values() for rule in found]

    def _found(self, plain: bytes, chosen: Sequence[int]) -> Iterator[_Span]:
        table = rules()
        for literal, kind, personal in ((self._literals, VALUE, False), (self._host, "host", True)):
            if literal is not None:
                for match in literal.finditer(plain):
                    start, end = match.span(1)
                    yield _Span(start, end, len(table), kind, personal=personal)
        for index in chosen:
            rule = table[index]
            search, groups = expression(index)
            at, patience = 0, _PATIENCE * len(plain) + _BLOCK
            while at <= len(plain):
                match = search(plain, at)
                if match is None:
                    break
                start, end = match.span(groups if groups < 2 else match.lastindex)
                good = self._is_meant(rule, plain, match.start(), start, end)
                if good:
                    yield _Span(start, end, index, rule.kind, personal=rule.personal)
                # Inside of what is no secret there may be one; but a line made to be read again and again is not.
                patience -= end - at
                at = max(end if good or patience < 0 else start, at + 1)

    def _is_meant(self, rule: Rule, plain: bytes, begin: int, start: int, end: int) -> bool:
        """Whether what `rule` found at `start` to `end` (its match begins at `begin`) is to be taken out."""
        if rule.table is PERSONAL:
            return is_personal(rule.kind, plain, start, end)
        if rule.table is TOKENS and rule.check == "any":
            return True
        return is_secret(rule.check, plain, begin, start, end)

    def _replacement(self, plain: bytes, span: _Span) -> tuple[int, int, bytes]:
        self.counts[span.kind] += 1
        if not span.personal:
            return span.start, span.end, f"<secret:{span.kind}>".encode()
        value = plain[span.start : span.end].decode("utf-8", "replace")
        return span.start, span.end, f"<{span.kind}:{self._memory.number(span.kind, value)}>".encode()


def session_redactor(home: Home | None, memory: Path | None = None) -> Redactor:
    """The redactor of a session: the policy of `home`, the secrets this machine knows, and the numbers in `memory`.

    `memory` is a file in the state folder of the knowledge base, one a session; `Memory(path).forget()` removes it.
    """
    policy = policy_of(home)
    return Redactor(policy, machine_secrets() if policy is not Policy.OFF else (), memory=Memory(memory))


def secrets_redactor(home: Home | None) -> Redactor:
    """Takes out what gives access and nothing else, nothing at all where `home` has redaction off."""
    off = policy_of(home) is Policy.OFF
    return Redactor(Policy.OFF if off else Policy.SECRETS, () if off else machine_secrets())


def _literals(found: list[bytes]) -> Any:
    """One expression of all literals; longer ones come first, so the longest is taken. None when there is none."""
    if not found:
        return None
    import re2

    return compiled("(" + "|".join(re2.escape(one).decode("latin-1") for one in found) + ")", TOKENS, 0)


def _own_host() -> Any:
    name = own_host()
    if not name:
        return None
    import re2

    return compiled(rf"\b({re2.escape(name)})\b", TOKENS, 0)


def _blocks(data: bytes) -> Iterator[bytes]:
    """`data` in pieces of whole lines, each about as long as a block; a line that is longer stays whole."""
    at = 0
    while at < len(data):
        end = at + _BLOCK
        if end < len(data):
            end = data.rfind(b"\n", at, end) + 1 or data.find(b"\n", end) + 1 or len(data)
        yield data[at:end]
        at = end


def _touches(plain: bytes, span: _Span) -> bool:
    """Whether something that could be a part of another value stands right beside `span`."""
    before, after = plain[max(0, span.start - 1) : span.start], plain[span.end : span.end + 1]
    if span.personal:
        # Of a path, only what begins with a digit could be an address after the user is gone.
        path = after == b"/" and (span.kind != "user" or plain[span.end + 1 : span.end + 2].isdigit())
        return path or any(char in _WORD for char in before + after)
    return bool((before + after).strip(_SPACE))


def _merged(plain: bytes, spans: list[_Span]) -> list[_Span]:
    """The spans in order, those that overlap as one, none of which cuts a character in two."""
    spans.sort(key=lambda span: (span.start, -span.end))
    merged: list[_Span] = []
    for span in spans:
        while span.start > 0 and plain[span.start] & 0xC0 == 0x80:
            span.start -= 1
        while span.end < len(plain) and plain[span.end] & 0xC0 == 0x80:
            span.end += 1
        last = merged[-1] if merged else None
        if last is None or span.start >= last.end:
            merged.append(span)
            continue
        last.end = max(last.end, span.end)
        if (span.personal, span.rank) < (last.personal, last.rank):
            last.rank, last.kind, last.personal = span.rank, span.kind, span.personal
    return merged
