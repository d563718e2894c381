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
from kb.capture.redaction.policy import Policy, policy_of
from kb.home import Home
from kb.private.personal import own_host
from kb.private.plain import Places, without_escapes
from kb.private.prefilter import Hits
from kb.private.rules import TOKENS, VALUE, compiled, rules
from kb.private.spans import Span, found, replaced

_BLOCK = 1 << 20


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
        self._host_name = own_host().encode() if policy is Policy.PERSONAL else b""
        self._host = _host(self._host_name)
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
        if self._is_known(plain):
            for literal, _, _ in self._literals_in(plain):
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
        spans: list[Span] = []
        if self._block.open:
            inside = self._block.span(plain)
            if inside:
                spans.append(Span(*inside, -1, KIND, personal=False))
        if not self._block.open:
            self._block.begin(plain)
        spans.extend(self._found(plain, chosen))
        return replaced(places, spans, lambda again: self._found(again, self._rules_of(again)), self._placeholder)

    def _rules_of(self, plain: bytes) -> list[int]:
        assert self._hits is not None
        return [rule for rules_of in self._hits.lines(plain).values() for rule in rules_of]

    def _found(self, plain: bytes, chosen: Sequence[int]) -> Iterator[Span]:
        last = len(rules())
        for literal, kind, personal in self._literals_in(plain):
            for match in literal.finditer(plain):
                start, end = match.span(1)
                yield Span(start, end, last, kind, personal=personal)
        yield from found(plain, chosen)

    def _is_known(self, plain: bytes) -> bool:
        """Whether a known value may be in `plain`."""
        return (self._literals is not None and self._literals.search(plain) is not None) or (
            self._host is not None and self._host_name in plain
        )

    def _literals_in(self, plain: bytes) -> Iterator[tuple[Any, str, bool]]:
        """The expressions of known values that may be in `plain`, with the kind and whether that is personal."""
        if self._literals is not None:
            yield self._literals, VALUE, False
        if self._host is not None and self._host_name in plain:
            yield self._host, "host", True

    def _placeholder(self, plain: bytes, span: Span) -> bytes:
        self.counts[span.kind] += 1
        if not span.personal:
            return f"<secret:{span.kind}>".encode()
        value = plain[span.start : span.end].decode("utf-8", "replace")
        return f"<{span.kind}:{self._memory.number(span.kind, value)}>".encode()


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


def _host(name: bytes) -> Any:
    if not name:
        return None
    import re2

    return compiled(rf"\b({re2.escape(name.decode())})\b", TOKENS, 0)


def _blocks(data: bytes) -> Iterator[bytes]:
    """`data` in pieces of whole lines, each about as long as a block; a line that is longer stays whole."""
    at = 0
    while at < len(data):
        end = at + _BLOCK
        if end < len(data):
            end = data.rfind(b"\n", at, end) + 1 or data.find(b"\n", end) + 1 or len(data)
        yield data[at:end]
        at = end
