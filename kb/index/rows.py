"""Knowledge to the rows of the index: signatures with their postings, and the documents of the full text."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kb.index.card import dump_card, make_card
from kb.index.pieces import anchor_words, pack, parts_column
from kb.knowledge.model import FixMade, Knowledge, Occurrence, SessionFacts, SignatureKnowledge

#: A signature's document shows this many of its occurrences, the newest first, and no document is longer.
_OCCURRENCES = 5
_LONGEST = 32_000


class Doc(NamedTuple):
    """One document of the full text. `proven` tells whether a fix helped."""

    kind: str
    name: str
    title: str
    proven: bool
    text: str


def write_knowledge(connection: sqlite3.Connection, knowledge: Knowledge) -> None:
    """Fill the tables that are derived from all sessions together."""
    known = sorted(knowledge.signatures.values(), key=lambda one: one.signature.id)
    _write_signatures(connection, known, knowledge)
    for number, doc in enumerate(_docs(knowledge, known), 1):
        text = _storable(doc.text[:_LONGEST])
        row = (number, doc.kind, doc.name, _storable(doc.title), doc.proven, text)
        connection.execute("INSERT INTO doc VALUES (?, ?, ?, ?, ?, ?)", row)
        connection.execute(
            "INSERT INTO doc_text (rowid, text, parts) VALUES (?, ?, ?)", (number, text, parts_column(text))
        )


def _write_signatures(
    connection: sqlite3.Connection, known: Iterable[SignatureKnowledge], knowledge: Knowledge
) -> None:
    postings: dict[str, list[int]] = {}
    anchors: dict[int, tuple[str, ...]] = {}
    for number, one in enumerate(known, 1):
        signature = one.signature
        card = make_card(one, knowledge)
        texts = (signature.type, signature.template, signature.title, signature.pattern, signature.anchor)
        row = (number, signature.id, *map(_storable, texts), dump_card(card))
        connection.execute("INSERT INTO signature VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        seen = [(signature.id, session) for session in one.sessions]
        connection.executemany("INSERT INTO seen VALUES (?, ?)", seen)
        for word in card.words:
            postings.setdefault(word, []).append(number)
        if signature.pattern and signature.anchor:
            anchors[number] = anchor_words(signature.anchor)
    rows = ((_storable(word), len(numbers), pack(numbers)) for word, numbers in postings.items())
    connection.executemany("INSERT OR IGNORE INTO posting VALUES (?, ?, ?)", rows)
    _write_anchors(connection, anchors)


def _write_anchors(connection: sqlite3.Connection, anchors: Mapping[int, tuple[str, ...]]) -> None:
    """File each signature under the word of its anchor that the fewest anchors hold."""
    counts = Counter(word for words in anchors.values() for word in set(words))
    filed: dict[str, list[int]] = {}
    for number, words in anchors.items():
        rarest = min(words, key=lambda word: (counts[word], -len(word)), default="")
        filed.setdefault(rarest, []).append(number)
    rows = ((word, pack(numbers)) for word, numbers in filed.items())
    connection.executemany("INSERT INTO anchor VALUES (?, ?)", rows)


def _docs(knowledge: Knowledge, known: Iterable[SignatureKnowledge]) -> Iterator[Doc]:
    for one in known:
        proven = any(fix.fixed or fix.progressed for fix in one.fixes)
        yield Doc("signature", one.signature.id, one.signature.title, proven, "\n".join(_signature_text(one)))
    proven_fixes = {
        fix.slug for one in knowledge.signatures.values() for fix in one.fixes if fix.fixed or fix.progressed
    }
    made: dict[str, list[FixMade]] = {}
    for session in knowledge.sessions.values():
        for fix in session.fixes:
            made.setdefault(fix.slug, []).append(fix)
    for slug in sorted(made):
        yield Doc("fix", slug, made[slug][0].title, slug in proven_fixes, "\n".join(_fix_text(made[slug])))
    for session in knowledge.sessions.values():
        helped = any(tried.outcome in ("fixed", "progressed") for tried in session.tries)
        yield Doc("session", session.id, session.title, helped, "\n".join(_session_text(session)))


def _signature_text(known: SignatureKnowledge) -> Iterator[str]:
    signature = known.signature
    yield signature.title
    yield signature.id
    yield f"{signature.type}: {signature.template}"
    for fix in known.fixes:
        yield f"{fix.slug} {fix.title}"
    yield " ".join([*known.components, *known.tags])
    shown: dict[str, None] = {}
    for _, occurrence in known.occurrences[:_OCCURRENCES]:
        for text in _occurrence_texts(occurrence):
            shown.update(dict.fromkeys(text.split("\n")))
    yield from shown


def _occurrence_texts(occurrence: Occurrence) -> Iterator[str]:
    """What people paste of a failure: its line, its message, its frames, the lines around it."""
    failure = occurrence.failure
    yield failure.text.strip()
    yield f"{failure.type}: {failure.message}"
    for frame in failure.frames:
        yield f"{frame.file} line {frame.line} in {frame.function} {frame.source}"
    yield from failure.notes
    yield occurrence.excerpt


def _fix_text(made: Iterable[FixMade]) -> Iterator[str]:
    shown: dict[str, None] = {}
    for fix in made:
        for text in (
            fix.slug,
            fix.title,
            fix.kind,
            fix.target,
            fix.applies,
            fix.prose,
            *(body for _, body in fix.blocks),
        ):
            shown[text] = None
    yield from filter(None, shown)


def _session_text(session: SessionFacts) -> Iterator[str]:
    yield session.title
    yield session.id
    yield " ".join([*session.tags, session.resolution])
    yield " ".join(f"{name} {value}" for name, value in {**session.components, **session.environment}.items())
    yield session.text


def _storable(text: str) -> str:
    """`text` without lone surrogates and NUL, which SQLite cannot hold or would cut at."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def dump_problems(problems: Iterable[tuple[str, int, str, str, str]]) -> str:
    """Problems as (path, line, code, message, hint) in JSON."""
    return json.dumps(list(problems))
