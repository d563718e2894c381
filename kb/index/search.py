"""Finding signatures, fixes and sessions by any text: a name, a few words, an error line as it was pasted.

Names come first, then signatures that are certain, then texts that hold all that was typed, in their titles before
the rest, then those that hold it in another spelling, then those that hold most of it; what holds only some of it is
offered as near. Within each, signatures come before fixes and sessions, and what is proven before what is open.

Every step reads a bounded number of rows, so that the cost of a query does not grow with the index.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Literal, NamedTuple

from kb.expressions import late
from kb.failures.lines import clean
from kb.index.docs import Doc, Docs, Narrowed
from kb.index.facets import KINDS, Kind, expression, first_day, named
from kb.index.hits import Judge
from kb.index.query import Query, Term, anywhere, as_typed, in_a_row, one_word, unknown
from kb.index.store import Store, idf
from kb.index.vocabulary import Near, Vocabulary

#: How a hit was found, the surest first. `similar` and `some` are near: no answers.
Level = Literal["name", "exact", "template", "title", "text", "words", "spelling", "most", "similar", "some", "filter"]
LEVELS: tuple[Level, ...] = (
    "name", "exact", "template", "title", "text", "words", "spelling", "most", "similar", "some", "filter",
)  # fmt: skip
_NEAR_LEVELS = ("similar", "some")

#: Rows that are read to find the documents with most of a query, its rarest words first; those compared closely.
_BUDGET = 3000
_READ = 40
#: A document that holds less of a query than this, by weight, is no answer, but may be near one.
_GOOD_PART = 0.4
#: Nor is one that holds a single word of several.
_MOST_WORDS = 2
#: What is near holds so much of the query by weight, and so many of its words, one of two.
_NEAR = 0.25
_NEAR_WORDS = 2
_LINES = 40
_SPELLED = 6
_SHORTEST_START = 6
_ID = late(r"kb\d+-[a-z2-7]{3,10}")


class Certain(NamedTuple):
    """A signature that the text was found to be, or, of level `similar`, to resemble."""

    id: str
    level: Level
    why: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing found: `id` is a signature's id, a fix's slug or a session's id; `why` says in words why it was.

    `score` (0 to 1) tells how much of the query it holds; hits come in a better order than that alone gives. `near`
    tells that it is no answer: nothing holds most of the query, and this holds some of its words. `last` is the ISO
    date of its newest evidence, `seen` in how many sessions it occurs.
    """

    kind: Kind
    id: str
    title: str
    snippet: str
    score: float
    why: str
    near: bool
    level: Level
    proven: bool
    last: str
    seen: int


class _Found:
    """Documents by number, each with the best level that it was found on."""

    def __init__(self) -> None:
        self.level: dict[int, tuple[int, Level, str]] = {}
        self._step = 0

    def add(self, numbers: Iterable[int], level: Level, why: str) -> None:
        """Documents of the next step."""
        for number in numbers:
            self.level.setdefault(number, (self._step, level, why))
        self._step += 1


def narrowed(query: Query, today: date) -> Narrowed:
    """What the filters of `query` ask of documents."""
    return Narrowed(*expression(query.filters, today), first_day(query.filters, today), named(query.filters))


def search(
    store: Store, query: Query, limit: int = 20, *, certain: Sequence[Certain] = (), today: date | None = None
) -> tuple[Hit, ...]:
    """The `limit` best hits for `query`; `certain` are signatures that it is known to be, the surest first."""
    docs = Docs(store.db, narrowed(query, today or date.today()))
    known = docs.frequencies([word for term in query.terms() for word in (term.token, *term.parts)])
    found = _Found()
    found.add(_named(store, docs, query.text), "name", "its name")
    for level in ("exact", "template"):
        for one in (one for one in certain if one.level == level):
            found.add(docs.named(one.id, "signature"), one.level, one.why)
    found.add(_by_pattern(store, docs, query.raw), "template", "its own pattern matches this text")
    if query.words:
        query = _find_words(store, docs, query, known, found, limit)
    elif not found.level and query.filters:
        found.add(docs.of_kind("signature", named=True), "filter", "its failure names what the filters ask for")
        for kind in KINDS:
            found.add(docs.of_kind(kind) if len(found.level) < limit else (), "filter", "what the filters ask for")
    judge = Judge(query, known, docs.count())
    if query.words and not docs.any_signature(list(found.level)):
        _find_most(docs, query, judge, known, found, certain)
    return _ranked(docs, judge, found, limit)


def _find_words(store: Store, docs: Docs, query: Query, known: Mapping[str, int], found: _Found, limit: int) -> Query:
    """All steps that ask for every word, as typed or in another spelling; gives the query as it was asked last."""
    words = Vocabulary(store.db)
    more = words.beginning(query.last) if query.last else ()
    longer = query.spelled({query.last: more}) if more else query
    known = {**known, **docs.frequencies(more)}
    if query.last not in known:
        query = longer
    _find_text(docs, query, known, found, limit)
    if not found.level and longer is not query:
        _find_text(docs, longer, known, found, limit)
    return query if found.level else _find_spelled(words, docs, longer, known, found)


def _find_text(docs: Docs, query: Query, known: Mapping[str, int], found: _Found, limit: int) -> None:
    """The steps from the text as it is in a title to all its words anywhere; none once there is enough."""
    docs.look_through(_rows(docs, query, known))
    if not docs.match(anywhere(query)):
        return
    steps: tuple[tuple[str, str, Level, str], ...] = (
        (in_a_row(query), "title", "title", "its titles hold this text"),
        (as_typed(query), "title", "title", "its titles hold these words as typed"),
        (in_a_row(query), "title text parts", "text", "holds this text"),
        (anywhere(query), "title", "title", "its titles hold all words"),
        (as_typed(query), "title text parts", "text", "holds these words as typed"),
        (anywhere(query), "title text parts", "words", "holds all words"),
    )
    tried: set[tuple[str, str]] = set()
    for asked, columns, level, why in steps:
        if len(found.level) >= limit or (asked, columns) in tried:
            continue
        tried.add((asked, columns))
        found.add(docs.best_match(asked, columns=columns), level, why)


def _find_spelled(words: Vocabulary, docs: Docs, query: Query, known: Mapping[str, int], found: _Found) -> Query:
    """Look for words that no document holds in other spellings, and give the query with these."""
    near = _spellings(words, query, known)
    if not near:
        return query
    spelled = query.spelled({token: one.words for token, one in near.items()})
    why = _read_as(near)
    known = {**known, **docs.frequencies([word for one in near.values() for word in one.words])}
    docs.look_through(_rows(docs, spelled, known))
    found.add(docs.best_match(as_typed(spelled), columns="title"), "spelling", f"its titles hold this text, {why}")
    found.add(docs.best_match(as_typed(spelled)), "spelling", f"holds this text, {why}")
    found.add(docs.best_match(anywhere(spelled), columns="title"), "spelling", f"its titles hold all words, {why}")
    found.add(docs.best_match(anywhere(spelled)), "spelling", f"holds all words, {why}")
    return spelled


def _rows(docs: Docs, query: Query, known: Mapping[str, int]) -> int:
    """How many documents hold the rarest word of the query."""
    counts: list[int] = []
    for term in query.terms():
        whole = sum(known.get(word, 0) for word in term.spellings or (term.token,))
        parts = min((known.get(part, 0) for part in term.parts), default=0) if len(term.parts) > 1 else 0
        counts.append(whole + parts)
    return min(counts, default=0)


def _spellings(words: Vocabulary, query: Query, known: Mapping[str, int]) -> dict[str, Near]:
    cut_off = {word[0].token for word in query.words if len(word) > 1}
    found: dict[str, Near] = {}
    for term in unknown(query, known)[:_SPELLED]:
        if term.spellings:
            continue
        near = words.near(term.token, cut_off=term.token in cut_off)
        if near is not None:
            found[term.token] = near
            continue
        for part in term.parts if len(term.parts) > 1 else ():
            if part not in known and (near := words.near(part)) is not None:
                found[part] = near
    return found


def _read_as(near: Mapping[str, Near]) -> str:
    said = [f"“{token}” read as {' or '.join(one.words[:3])}" for token, one in near.items()]
    return ", ".join(said[:3])


def _find_most(
    docs: Docs, query: Query, judge: Judge, known: Mapping[str, int], found: _Found, certain: Sequence[Certain]
) -> None:
    """The documents that hold most of the query; else what resembles it, and what holds some of its words."""
    some = _rarest(docs, query, known)
    texts = docs.texts(some)
    most = min(_MOST_WORDS, judge.telling)
    enough = max(1, min(_NEAR_WORDS, judge.telling - 1))
    shares = {number: round(judge.share(text), 2) for number, text in texts.items()}
    some.sort(key=lambda number: -shares[number])
    good = [number for number in some if shares[number] >= _GOOD_PART and judge.held(texts[number]) >= most]
    near = [number for number in some if shares[number] >= _NEAR and judge.held(texts[number]) >= enough]
    for _, equal in groupby(good, key=shares.__getitem__):
        found.add(equal, "most", "holds most of it")
    for one in certain:
        if one.level == "similar":
            found.add(docs.named(one.id, "signature"), "similar", one.why)
    for _, equal in groupby(() if good else near, key=shares.__getitem__):
        found.add(equal, "some", "holds some of it")


def _rarest(docs: Docs, query: Query, known: Mapping[str, int]) -> list[int]:
    """The documents that hold the most of the query's rarest words, by their weight."""
    total = docs.count()
    weights: dict[int, float] = {}
    spent = 0
    for term in sorted(query.terms(), key=lambda term: (_frequency(term, known), term.token)):
        spent += _frequency(term, known)
        if weights and spent > _BUDGET:
            break
        for number in docs.match(one_word(term)):
            weights[number] = weights.get(number, 0.0) + idf(total, _frequency(term, known))
    return sorted(weights, key=lambda number: (-weights[number], number))[:_READ]


def _frequency(term: Term, known: Mapping[str, int]) -> int:
    return known.get(term.token) or min((known.get(part, 0) for part in term.parts), default=0)


def _ranked(docs: Docs, judge: Judge, found: _Found, limit: int) -> tuple[Hit, ...]:
    rows: list[tuple[tuple[int, int, float, bool, bool, int], Doc]] = []
    steps = groupby(sorted(found.level, key=lambda number: found.level[number][0]), lambda n: found.level[n][0])
    for step, numbers in steps:
        if len(rows) >= limit:
            break  # what was found later comes later
        among = list(numbers)
        named_ones = docs.named_among(among)
        for doc in docs.read(among):
            in_title = round(judge.share(doc.title), 1)
            other = doc.number not in named_ones
            rows.append(((step, KINDS.index(doc.kind), -in_title, not doc.proven, other, -doc.seen), doc))
    rows.sort(key=lambda row: row[1].last, reverse=True)  # the newest first on ties
    rows.sort(key=lambda row: row[0])
    shown = [doc for _, doc in rows[:limit]]
    texts = docs.texts([doc.number for doc in shown])
    return tuple(_hit(judge, found.level[doc.number], doc, texts[doc.number]) for doc in shown)


def _hit(judge: Judge, how: tuple[int, Level, str], doc: Doc, text: str) -> Hit:
    _, level, why = how
    missing = judge.missing(text) if level in ("most", "some") else ()
    if missing:
        why += ", not " + ", ".join(missing[:5])
    score = round((2 * judge.share(text) + judge.share(doc.title)) / 3, 4) if level != "name" else 1.0
    return Hit(
        doc.kind,
        doc.name,
        doc.title,
        judge.snippet(text),
        score,
        why,
        level in _NEAR_LEVELS,
        level,
        bool(doc.proven),
        doc.last,
        doc.seen,
    )


def _named(store: Store, docs: Docs, text: str) -> list[int]:
    """The documents whose id or slug the text is, or else begins with it."""
    name = text.strip().strip("`'\"()[]<>.,:;").lower()
    if not name or len(name.split()) > 1:
        return []
    if _ID.fullmatch(name) and (card := store.lookup_id(name)):
        return docs.named(card.id)  # also by an older id of the same signature
    return docs.named(name) or (docs.begins(name) if len(name) >= _SHORTEST_START else [])


def _by_pattern(store: Store, docs: Docs, text: str) -> list[int]:
    """The signatures whose own pattern matches a line of the text."""
    lines = (clean(line).strip() for line in text.split("\n")[:_LINES])
    ids = dict.fromkeys(card.id for line in lines if line for card in store.lookup_pattern(line))
    return [number for key in ids for number in docs.named(key, "signature")]
