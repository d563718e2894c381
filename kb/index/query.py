"""What a person typed or pasted, cut for the full-text index: never a syntax error, whatever the punctuation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from kb.expressions import late
from kb.index.facets import Filter
from kb.index.pieces import camel_parts, cut_tokens, without_moments

#: Of a pasted log so many characters are looked up, and so many of its words.
LONGEST = 4000
_MOST = 120
#: Forms of one word that are looked for together.
_FORMS = 16
#: A quoted phrase, or else what stands between spaces.
_PIECE = late(r'(?<!\S)"([^"\n]*)"(?!\S)|\S+')


@dataclass(frozen=True, slots=True)
class Term:
    """One token as typed, lower-case, and its camelCase parts (one part when it has none).

    `spellings` are the words of the index that are looked for in its place, when the index does not hold the token.
    """

    typed: str
    token: str
    parts: tuple[str, ...]
    spellings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its text as it was given and in one line, and the terms of each word as typed.

    Such a word is `core.py:1029`, or a quoted phrase. `unfinished` tells that the last term may go on. `phrases` are
    the quoted parts, `filters` what was asked of the documents besides, `notes` what was not understood as it may have
    been meant.
    """

    raw: str
    text: str
    words: tuple[tuple[Term, ...], ...]
    unfinished: bool
    phrases: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    notes: tuple[str, ...] = ()

    def terms(self) -> tuple[Term, ...]:
        """All terms that say something, each once, in order."""
        return tuple({term.token: term for word in self.words for term in word if _says_something(term)}.values())

    def spelled(self, spellings: Mapping[str, Sequence[str]]) -> Query:
        """The same query with other spellings for some tokens and parts."""
        words = tuple(tuple(_spelled(term, spellings) for term in word) for word in self.words)
        return replace(self, words=words)

    @property
    def last(self) -> str:
        """The last token where it may go on, else ""."""
        return self.words[-1][-1].token if self.unfinished else ""


def _spelled(term: Term, spellings: Mapping[str, Sequence[str]]) -> Term:
    parts = tuple(spellings.get(part, (part,))[0] for part in term.parts)
    return replace(term, spellings=tuple(spellings.get(term.token, term.spellings)), parts=parts)


def _says_something(term: Term) -> bool:
    """Whether a text that holds the term holds a part of what was meant: every text holds single letters."""
    return len(term.token) > 1 or term.token.isdigit() or not term.token.isascii()


def read_query(text: str, filters: tuple[Filter, ...] = (), notes: tuple[str, ...] = ()) -> Query:
    """`text` as a query; it has no words when nothing in it is a letter or a digit."""
    raw = text
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} {text[-LONGEST // 2 :]}"  # of a log, the end says as much as the beginning
    timeless = without_moments(text)
    text = timeless if cut_tokens(timeless) else text
    words: list[tuple[Term, ...]] = []
    phrases: list[str] = []
    plain: list[str] = []
    room = _MOST
    for piece in _PIECE.finditer(text):
        typed = piece[1] if piece[1] is not None else piece[0]
        terms = tuple(Term(token, token.lower(), tuple(camel_parts(token))) for token in cut_tokens(typed)[:room])
        room -= len(terms)
        plain.append(typed)
        if terms:
            words.append(terms)
        if terms and piece[1] is not None:
            phrases.append(" ".join(typed.split()))
    last = words[-1][-1] if words else None
    unfinished = last is not None and text.endswith(last.typed) and len(last.token) > 1 and not last.token.isdigit()
    return Query(raw, " ".join(" ".join(plain).split()), tuple(words), unfinished, tuple(phrases), filters, notes)


def in_a_row(query: Query) -> str:
    """The whole query must occur as it is, word after word."""
    return _word([term for word in query.words for term in word], split=len(query.words) == 1)


def as_typed(query: Query) -> str:
    """Every word must occur as it is: its tokens, or their parts, next to each other."""
    return " AND ".join(map(_word, query.words))


def anywhere(query: Query) -> str:
    """Every term must occur, wherever; what was quoted, as it is."""
    quoted = (" ".join(cut_tokens(phrase)).lower() for phrase in query.phrases)
    return " AND ".join([*map(one_word, query.terms()), *(f'"{phrase}"' for phrase in quoted)])


def one_word(term: Term) -> str:
    """The term must occur, whole or in its parts."""
    whole = _or(f'"{word}"' for word in _spellings(term))
    parts = " AND ".join(f'"{part}"' for part in term.parts)
    return _or((whole, f"({parts})")) if _parted(term) else whole


def unknown(query: Query, known: Collection[str]) -> tuple[Term, ...]:
    """The terms that no document holds as they are; some documents hold those `known`."""
    return tuple(term for term in query.terms() if term.token not in known)


def _parted(term: Term) -> bool:
    return len(term.parts) > 1


def _word(terms: Sequence[Term], *, split: bool = True) -> str:
    """The terms next to each other, or with `split` their parts."""
    forms = [" ".join(form) for form in islice(product(*map(_spellings, terms)), _FORMS)]
    forms += [" ".join(part for term in terms for part in term.parts)] if split else []
    return _or(f'"{form}"' for form in forms)


def _spellings(term: Term) -> tuple[str, ...]:
    return term.spellings or (term.token,)


def _or(forms: Iterable[str]) -> str:
    different = tuple(dict.fromkeys(forms))
    return different[0] if len(different) == 1 else f"({' OR '.join(different)})"
