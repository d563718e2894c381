"""How well `kb search` answers: queries with known answers, on a knowledge base of real failures.

    python bench/search.py            # --misses: what was not first, and what was

hit@1 is the share of queries whose answer comes first, MRR the mean of 1/place among the first ten. The peers search
the same documents (titles and texts of the same index) in the same run: SQLite's FTS5 ranked by bm25, any of the
words; the Okapi BM25 of rank-bm25; tantivy's query parser with its default tokenizer. The last two are left out when
they are not installed.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from search_base import HERE, Asked, make_base, open_base, queries, right_names

from kb.index.docs import Docs
from kb.index.store import Store
from kb.triage.find import search

Name = tuple[str, str]
Engine = Callable[[str], Sequence[Name]]
_PLACES = 10
_HELD = "held apart"
_FILTER = re.compile(r"(?:^|\s)-?(?:component|tag|kind|has|resolution|since):\S+")


class Entry(NamedTuple):
    """A document as the peers are given it."""

    name: Name
    text: str


def entries(store: Store) -> list[Entry]:
    """All documents of the index."""
    docs = Docs(store.db)
    numbers = [number for kind in ("signature", "fix", "session") for number in docs.of_kind(kind, limit=10**6)]
    texts = docs.texts(numbers)
    return [Entry((doc.kind, doc.name), f"{doc.title}\n{texts[doc.number]}") for doc in docs.read(numbers)]


def kb_engine(store: Store) -> Engine:
    """kb itself."""
    return lambda text: [(one.hit.kind, one.hit.id) for one in search(store, text, _PLACES).results]


def fts5_engine(found: Sequence[Entry]) -> Engine:
    """FTS5 with its default tokenizer, ranked by bm25."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE entry USING fts5(text)")
    db.executemany("INSERT INTO entry (rowid, text) VALUES (?, ?)", [(n, one.text) for n, one in enumerate(found)])

    def ask(text: str) -> list[Name]:
        words = dict.fromkeys(re.findall(r"\w+", text))
        expression = " OR ".join(f'"{word}"' for word in words)
        rows = db.execute("SELECT rowid FROM entry WHERE entry MATCH ? ORDER BY rank LIMIT ?", (expression, _PLACES))
        return [found[number].name for (number,) in rows]

    return ask


def bm25_engine(found: Sequence[Entry]) -> Engine:
    """Okapi BM25 over lower-case words."""
    from rank_bm25 import BM25Okapi

    model = BM25Okapi([re.findall(r"\w+", one.text.lower()) for one in found])

    def ask(text: str) -> list[Name]:
        scores = model.get_scores(re.findall(r"\w+", text.lower()))
        best = sorted(range(len(found)), key=lambda number: -scores[number])[:_PLACES]
        return [found[number].name for number in best if scores[number] > 0]

    return ask


def tantivy_engine(found: Sequence[Entry]) -> Engine:
    """tantivy with its default tokenizer, any of the words."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text")
    builder.add_integer_field("number", stored=True)
    index = tantivy.Index(builder.build())
    writer = index.writer()
    for number, one in enumerate(found):
        writer.add_document(tantivy.Document(text=one.text, number=number))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def ask(text: str) -> list[Name]:
        query, _ = index.parse_query_lenient(" ".join(re.findall(r"\w+", text)), ["text"])
        return [found[searcher.doc(at)["number"][0]].name for _, at in searcher.search(query, _PLACES).hits]

    return ask


class Score(NamedTuple):
    """The places of the right answers, 0 for none, and the CPU time of a query in milliseconds (median)."""

    places: tuple[int, ...]
    median: float

    def of(self, group: Sequence[int]) -> Score:
        """The same for some of the queries."""
        return self._replace(places=tuple(self.places[at] for at in group))

    def share(self, most: int) -> float:
        """The share of answers among the first `most`."""
        return sum(0 < place <= most for place in self.places) / len(self.places)

    def mrr(self) -> float:
        """The mean reciprocal rank."""
        return sum(1 / place for place in self.places if place) / len(self.places)


def measure(engine: Engine, asked: Sequence[Asked], right: Sequence[frozenset[Name]], *, filters: bool) -> Score:
    """How `engine` answers; one without filters is asked without them."""
    places: list[int] = []
    times: list[float] = []
    for one, names in zip(asked, right, strict=True):
        text = one.text if filters else _FILTER.sub(" ", one.text)
        begin = time.process_time()
        answers = engine(text) if text.strip() else []
        times.append(time.process_time() - begin)
        places.append(next((place for place, name in enumerate(answers, 1) if name in names), 0))
    return Score(tuple(places), 1000 * sorted(times)[len(times) // 2])


def main(*, misses: bool) -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as folder:
        store, knowledge = open_base(make_base(Path(folder) / "base"))
        asked = [*queries(), *queries(HERE / "search_queries_held.txt")]
        right = [right_names(one, knowledge) for one in asked]
        found = entries(store)
        print(f"{len(asked)} queries, {len(knowledge.signatures)} signatures, {len(found)} documents\n")
        scores = {"**kb search**": measure(kb_engine(store), asked, right, filters=True)}
        scores["FTS5 bm25"] = measure(fts5_engine(found), asked, right, filters=False)
        for name, make in (("rank-bm25 Okapi", bm25_engine), ("tantivy", tantivy_engine)):
            try:
                scores[name] = measure(make(found), asked, right, filters=False)
            except ImportError as error:
                print(f"{name} is left out: {error}")
        _tables(asked, scores)
        if misses:
            _misses(store, asked, scores["**kb search**"], right)


def _tables(asked: Sequence[Asked], scores: dict[str, Score]) -> None:
    held = [at for at, one in enumerate(asked) if one.section == _HELD]
    known = [at for at, one in enumerate(asked) if one.section != _HELD]
    for title, group in (("queries that were looked at", known), ("held apart", held)):
        print(f"| {len(group)} {title} | hit@1 | hit@3 | MRR@10 | CPU, median |\n| --- | --- | --- | --- | --- |")
        for name, score in scores.items():
            part = score.of(group)
            print(f"| {name} | {part.share(1):.3f} | {part.share(3):.3f} | {part.mrr():.3f} | {score.median:.2f} ms |")
        print()
    print(f"| hit@1 by how it is asked | queries | {' | '.join(scores)} |\n| --- |{' --- |' * (len(scores) + 1)}")
    for section in dict.fromkeys(one.section for one in asked):
        group = [at for at, one in enumerate(asked) if one.section == section]
        shares = [f"{score.of(group).share(1):.2f}" for score in scores.values()]
        print(f"| {section} | {len(group)} | {' | '.join(shares)} |")


def _misses(store: Store, asked: Sequence[Asked], score: Score, right: Sequence[frozenset[Name]]) -> None:
    for one, place, names in zip(asked, score.places, right, strict=True):
        if place != 1:
            print(f"\n{one.text!r} [{one.section}]: wanted {one.answers} {sorted(names)}, at {place or 'no place'}")
            for result in search(store, one.text, 3).results:
                print(f"    {result.hit.kind} {result.hit.id}: {result.hit.title[:80]} ({result.hit.why})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure how well searches are answered.")
    parser.add_argument("--misses", action="store_true", help="show each query whose answer is not first")
    main(misses=parser.parse_args().misses)
