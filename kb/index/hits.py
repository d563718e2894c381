"""Judging how well a document answers a query, and which of its lines to show."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kb.index.query import Query, Term
from kb.index.store import idf

_SNIPPET = 200
_SHORT = 3

Holds = Callable[[str, str], bool]


class Judge:
    """Judges documents for one query; `known` holds the frequencies of its tokens among `total` documents."""

    def __init__(self, query: Query, known: Mapping[str, int], total: int) -> None:
        self._folded = query.text.lower()
        self._terms = [(term, idf(total, known.get(term.token, 0)), _holding(term)) for term in query.terms()]
        terms = [term for term, _, _ in self._terms]
        self._telling = [term for term in terms if len(term.token) > _SHORT] or terms
        self._sum = sum(weight for _, weight, _ in self._terms) or 1.0

    @property
    def telling(self) -> int:
        """How many words the query has, without short ones, unless there are no others."""
        return len(self._telling)

    def share(self, text: str) -> float:
        """How much of the query `text` holds, its rare words weighing more: 0 to 1."""
        lower = text.lower()
        return sum(weight for _, weight, holds in self._terms if holds(text, lower)) / self._sum

    def held(self, text: str) -> int:
        """How many of the telling words `text` holds: short ones many texts hold for other reasons."""
        lower = text.lower()
        return sum(term in self._telling and holds(text, lower) for term, _, holds in self._terms)

    def missing(self, text: str) -> tuple[str, ...]:
        """What `text` does not hold, as typed."""
        lower = text.lower()
        return tuple(term.typed for term, _, holds in self._terms if not holds(text, lower))

    def snippet(self, text: str) -> str:
        """The line of `text` that says most of the query, cut to what can be shown."""
        best, best_share, most = "", -1.0, self._said(text)
        for line in dict.fromkeys(text.split("\n")):
            share = self._said(line)
            if share > best_share:
                best, best_share = line, share
            if share >= most:
                break  # no other line says more
        return self._cut(best.strip())

    def _said(self, text: str) -> float:
        """How much of the query `text` holds, and a little more when it holds all of it as it is."""
        return self.share(text) + 0.001 * (self._folded in text.lower())

    def _cut(self, line: str) -> str:
        if len(line) <= _SNIPPET:
            return line
        lower = line.lower()
        wanted = (self._folded, *(word for term, _, _ in self._terms for word in (term.token, *term.spellings)))
        at = next((place for one in wanted if (place := lower.find(one)) >= 0), 0)
        start = max(0, min(at - _SNIPPET // 4, len(line) - _SNIPPET))
        return ("…" if start else "") + line[start : start + _SNIPPET] + ("…" if start + _SNIPPET < len(line) else "")


def _holding(term: Term) -> Holds:
    """Whether a text holds the term, or one of the words that are looked for in its place."""
    if not term.spellings:
        return _holder(term)
    as_typed = _holder(term)
    words = [
        word.split() for word in term.spellings
    ]  # of an identifier that was typed without what is between its words
    return lambda text, lower: any(all(piece in lower for piece in word) for word in words) or as_typed(text, lower)


def _holder(term: Term) -> Holds:
    """Whether a text (also given in lower case) holds the term: anywhere, but a short one only as a word of its own."""
    if len(term.token) <= _SHORT or term.token.isdigit():
        return lambda text, lower: _alone(term, text, lower)
    if len(term.parts) > 1:
        return lambda text, lower: term.token in lower or all(part in lower for part in term.parts)
    return lambda text, lower: term.token in lower


def _alone(term: Term, text: str, lower: str) -> bool:
    """Whether the term stands in `text` as a word, or as a part of a camelCase word (`K25` in `KimiK25Config`)."""
    at = lower.find(term.token)
    while at >= 0:
        end = at + len(term.token)
        starts = at == 0 or not lower[at - 1].isalnum()
        ends = end == len(lower) or not lower[end].isalnum()
        if (starts or (lower[at - 1].isalpha() and text[at : at + 1].isupper())) and (
            ends or text[end : end + 1].isupper()
        ):
            return True
        at = lower.find(term.token, end)
    return False
