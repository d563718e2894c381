"""Finding signatures, fixes and sessions by any text: a name, a few words, an error line as it was pasted.

Names come first, then what matches a signature's own pattern, then texts that hold all that was typed, then those that
hold some of it; within each, signatures (proven fixes before open ones), fixes, sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kb.failures.lines import clean
from kb.index.docs import Doc, Docs, Kind
from kb.index.hits import Judge
from kb.index.query import anywhere, as_typed, one_of, read_query
from kb.index.store import Store

#: When no text holds all of a query, its rarest words are looked up until they lead to so many documents.
_READ = 200
#: A document that holds less of a query than this, by weight, is no answer, but may be near one.
_GOOD_PART = 0.4
#: Nor is one that holds a single word of several.
_MOST_WORDS = 2
#: What is near holds so much of the query by weight, and so many of its words, one of two.
_NEAR = 0.15
_NEAR_WORDS = 2
_LINES = 40

_HOLDS_TEXT = "holds this text"
_HOLDS_WORDS = "holds all words"
_HOLDS_MOST = "holds most of it"
_HOLDS_SOME = "holds some of it"
_HOLD_ALL = (_HOLDS_TEXT, _HOLDS_WORDS)
_KINDS: tuple[Kind, ...] = ("signature", "fix", "session")
_SHORTEST_START = 6
_SHORTEST_PIECE = 5


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing found: `id` is a signature's id, a fix's slug or a session's id; `why` says in words why it was.

    `score` (0 to 1) tells how much of the query it holds; hits come in a better order than that alone gives. `near`
    tells that it is no answer: nothing holds most of the query, and this holds some of its words.
    """

    kind: Kind
    id: str
    title: str
    snippet: str
    score: float
    why: str
    near: bool = False


class _Found:
    """Documents by number, each with the best level that it was found on."""

    def __init__(self) -> None:
        self.level: dict[int, tuple[int, str]] = {}
        self._next = 0

    def add(self, numbers: Iterable[int], why: str) -> None:
        """Documents of the next level."""
        for number in numbers:
            self.level.setdefault(number, (self._next, why))
        self._next += 1


def search(store: Store, query: str, limit: int = 20) -> tuple[Hit, ...]:
    """The `limit` best hits for `query`, which may be any text."""
    docs, read = Docs(store.db), read_query(query)
    known = docs.frequencies([term.token for term in read.terms()])
    judge = Judge(read, known, docs.count())
    found = _Found()
    found.add(_named(docs, query), "its name")
    found.add(_by_pattern(store, docs, query), "its own pattern matches this text")
    if read.words:
        found.add(docs.match(as_typed(read)), _HOLDS_TEXT)
        if len(found.level) < limit:
            found.add(docs.match(anywhere(read)), _HOLDS_WORDS)
    if not found.level:
        found.add(docs.holding([read.text]) or docs.holding(_long_pieces(read.text)), "holds these characters")
    if not found.level and known:
        some = _some_words(docs, known)
        most = min(_MOST_WORDS, judge.words)
        good = [doc.number for doc in some if judge.share(doc.text) >= _GOOD_PART and judge.held(doc.text) >= most]
        near = [doc.number for doc in some if _is_near(judge, doc)]
        found.add(good or near, _HOLDS_MOST if good else _HOLDS_SOME)
    return _ranked(docs, judge, found, limit)


def _is_near(judge: Judge, doc: Doc) -> bool:
    enough = max(1, min(_NEAR_WORDS, judge.words - 1))
    return judge.share(doc.text) >= _NEAR and judge.held(doc.text) >= enough


def _long_pieces(text: str) -> list[str]:
    """The pieces between the spaces of `text`, none when one of them is so short that any text may hold it."""
    pieces = text.split()
    return [] if any(len(piece) < _SHORTEST_PIECE for piece in pieces) else pieces


def _some_words(docs: Docs, known: Mapping[str, int]) -> list[Doc]:
    """The documents that hold one of the rarest words of a query, whose words have these frequencies."""
    rarest: list[str] = []
    rows = 0
    for word in sorted(known, key=lambda word: (known[word], word)):
        rows += known[word]
        if rarest and rows > _READ:
            break
        rarest.append(word)
    return list(docs.read(docs.match(one_of(rarest))))


def _ranked(docs: Docs, judge: Judge, found: _Found, limit: int) -> tuple[Hit, ...]:
    ranked = []
    for doc in docs.read(list(found.level)):
        level, why = found.level[doc.number]
        share = 1.0 if why in _HOLD_ALL else judge.share(doc.text)
        score = round((2 * share + judge.share(doc.title)) / 3, 4)
        place = judge.place(doc.title, doc.text)
        ranked.append(((level, _KINDS.index(doc.kind), -place, -doc.proven, -score, doc.name), score, doc))
    ranked.sort(key=lambda one: one[0])
    return tuple(_hit(judge, found.level[doc.number][1], score, doc) for _, score, doc in ranked[:limit])


def _hit(judge: Judge, why: str, score: float, doc: Doc) -> Hit:
    missing = judge.missing(doc.text) if why in (_HOLDS_MOST, _HOLDS_SOME) else ()
    near = why == _HOLDS_SOME
    if missing:
        why += ", not " + ", ".join(missing[:5])
    return Hit(doc.kind, doc.name, doc.title, judge.snippet(doc.text), score, why, near)


def _named(docs: Docs, text: str) -> list[int]:
    """The documents whose id or slug the text is, or else begins with it."""
    name = text.strip().strip("`'\"()[]<>.,:;").lower()
    if not name or len(name.split()) > 1:
        return []
    return docs.named(name) or (docs.begins(name) if len(name) >= _SHORTEST_START else [])


def _by_pattern(store: Store, docs: Docs, text: str) -> list[int]:
    """The signatures whose own pattern matches a line of the text."""
    lines = (clean(line).strip() for line in text.split("\n")[:_LINES])
    ids = dict.fromkeys(card.id for line in lines if line for card in store.lookup_pattern(line))
    return [number for key in ids for number in docs.named(key, "signature")]
