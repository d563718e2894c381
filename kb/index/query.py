"""What a person typed or pasted, cut for the full-text index: never a syntax error, whatever the punctuation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.index.pieces import camel_parts, cut_tokens

#: A pasted log is cut: the first characters of it, and so many of its words.
LONGEST = 4000
_MOST = 120


@dataclass(frozen=True, slots=True)
class Term:
    """One token as typed, lower-case, and its camelCase parts (one part when it has none)."""

    typed: str
    token: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its text in one line, and for each word as typed (`core.py:1029`) its terms.

    `unfinished` tells that the last term may go on.
    """

    text: str
    words: tuple[tuple[Term, ...], ...]
    unfinished: bool

    def terms(self) -> tuple[Term, ...]:
        """All terms that say something, each once, in order."""
        return tuple({term.token: term for word in self.words for term in word if _says_something(term)}.values())


def _says_something(term: Term) -> bool:
    """Whether a text that holds the term holds a part of what was meant: every text holds single letters."""
    return len(term.token) > 1 or term.token.isdigit() or not term.token.isascii()


def read_query(text: str) -> Query:
    """`text` as a query; it has no words when nothing in it is a letter or a digit."""
    text = text[:LONGEST]
    words: list[tuple[Term, ...]] = []
    room = _MOST
    for piece in text.split():
        terms = tuple(Term(typed, typed.lower(), tuple(camel_parts(typed))) for typed in cut_tokens(piece)[:room])
        room -= len(terms)
        if terms:
            words.append(terms)
    last = words[-1][-1] if words else None
    unfinished = last is not None and text.endswith(last.typed) and len(last.token) > 1 and not last.token.isdigit()
    return Query(" ".join(text.split()), tuple(words), unfinished)


def as_typed(query: Query) -> str:
    """Every word must occur as it is: its tokens, or their parts, next to each other."""
    last = len(query.words) - 1
    return " AND ".join(
        _word(word, "*" if query.unfinished and at == last else "") for at, word in enumerate(query.words)
    )


def anywhere(query: Query) -> str:
    """Every term must occur, wherever."""
    terms = query.terms()
    last = terms[-1].token if query.unfinished and terms else ""
    return " AND ".join(_term(term, "*" if term.token == last else "") for term in terms)


def one_of(tokens: Sequence[str]) -> str:
    """One of these tokens must occur."""
    return _or(f'"{token}"' for token in tokens)


def _word(terms: Sequence[Term], star: str) -> str:
    whole = " ".join(term.token for term in terms)
    parts = " ".join(part for term in terms for part in term.parts)
    return _or(f'"{form}"{star}' for form in (whole, parts))


def _term(term: Term, star: str) -> str:
    parts = " AND ".join(f'"{part}"' for part in term.parts)
    return _or((f'"{term.token}"{star}', f"({parts})")) if len(term.parts) > 1 else f'"{term.token}"{star}'


def _or(forms: Iterable[str]) -> str:
    different = tuple(dict.fromkeys(forms))
    return different[0] if len(different) == 1 else f"({' OR '.join(different)})"
