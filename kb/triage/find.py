"""The answer of the search box: one question for the command line, the tools of agents and the HTTP interface.

What was pasted is read as a log first, so that an error line or a whole traceback finds its signature as `kb triage`
would; then the words of it are looked up.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import NamedTuple

from kb.index.asking import ask
from kb.index.docs import Docs
from kb.index.facets import FILTERS, Filter
from kb.index.query import Query
from kb.index.search import Certain, Hit
from kb.index.search import search as search_index
from kb.index.store import Store
from kb.triage.fixes import best_fix
from kb.triage.model import KnownFix

#: What error lines hold, and a few remembered words do not: only then is the text read as a log.
_MARKS = frozenset(":\n([")
_MANY_WORDS = 4
#: Fixes among which the one to try first is looked for: they are ranked already, but for versions that are gone.
_COMPARED = 3
#: A pasted log is read to this many characters.
_LONGEST = 200_000
#: The closest failures of a pasted log that are looked for.
_MOST_FAILURES = 20


class Result(NamedTuple):
    """A hit, and for a signature the fix to try first and how many others there are."""

    hit: Hit
    fix: KnownFix | None
    other_fixes: int


class Answer(NamedTuple):
    """What was found for `text`, best first; `filters` is how it was narrowed.

    `hints` say what was read differently than it may have been meant, and what to try when nothing was found.
    """

    text: str
    filters: tuple[Filter, ...]
    results: tuple[Result, ...]
    hints: tuple[str, ...]


def search(
    store: Store, text: str, limit: int = 20, *, filters: Iterable[str] = (), today: date | None = None
) -> Answer:
    """The `limit` best answers to `text`: any text, filters such as `component:vllm` in it or given as `filters`.

    `today` is what ages in `since:30d` count from. Raises UsageError for one of `filters` that is none.
    """
    today = today or datetime.now(UTC).date()
    docs = Docs(store.db)
    query = ask(docs, text, today, filters)
    certain = _certain(store, query)
    hits = search_index(store, query, limit, certain=certain, today=today)
    hints = query.notes if hits else (*query.notes, *_what_to_try(store, docs, query, certain, today))
    return Answer(text, query.filters, tuple(_result(store, hit) for hit in hits), hints)


def _certain(store: Store, query: Query) -> tuple[Certain, ...]:
    """The signatures that the text is by itself: those of its root failure first."""
    text = query.raw[:_LONGEST]
    if len(query.words) < _MANY_WORDS and not (len(query.words) > 1 and _MARKS & set(text.strip())):
        return ()
    from kb.triage.report import triage  # a search for a word must not load the readers of logs

    report = triage(text.encode("utf-8", "surrogateescape"), "query", store, explain=False)
    order = sorted(
        enumerate(report.failures), key=lambda one: (one[0] != report.primary, one[1].failure.role != "root", one[0])
    )
    found: dict[str, Certain] = {}
    for _, triaged in order[:_MOST_FAILURES]:
        for match in triaged.matches:
            found.setdefault(match.id, Certain(match.id, match.level, match.why[0]))
    return tuple(found.values())


def _result(store: Store, hit: Hit) -> Result:
    fixes = store.fixes(hit.id) if hit.kind == "signature" else ()
    if not fixes:
        return Result(hit, None, 0)
    return Result(hit, best_fix(fixes[:_COMPARED]), len(fixes) - 1)


def _what_to_try(store: Store, docs: Docs, query: Query, certain: tuple[Certain, ...], today: date) -> list[str]:
    """What to do when nothing was found, in words."""
    if not docs.count():
        return ["the knowledge base holds no session yet"]
    if query.filters:
        return [_without_a_filter(store, query, certain, today)]
    if not query.words:
        return [f"type a word, an id, an error line, or a filter: {', '.join(f'{name}:' for name in FILTERS)}"]
    return [
        "no record holds these words; try fewer of them, or the rarest one: an identifier or a part of it",
        "a whole log is read by `kb triage FILE`",
    ]


def _without_a_filter(store: Store, query: Query, certain: tuple[Certain, ...], today: date) -> str:
    """Which filter leaves nothing, and what there is without it; or that it is not for the filters."""
    told = " ".join(map(str, query.filters))
    without = [(str(one), tuple(other for other in query.filters if other != one)) for one in reversed(query.filters)]
    if len(query.filters) > 1:
        without.append(("them", ()))
    for said, filters in without:
        fewer = replace(query, filters=filters)
        if (fewer.filters or fewer.words) and (hits := search_index(store, fewer, 1, certain=certain, today=today)):
            return f"nothing with {told}; without {said} there is {hits[0].id}: {hits[0].title}"
    if query.words:
        return f"no record holds these words, with or without {told}; try fewer of them"
    return f"nothing with {told}; try fewer filters"
