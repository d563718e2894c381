"""One unit of a whole build (kb.index.plan) to the rows that it gives: nothing of the index is read or written here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kb.index.card import Card, make_cards
from kb.index.facts import written
from kb.index.plan import Unit
from kb.index.press import Press
from kb.index.rows import Doc, fix_doc, session_doc, shared_facets, signature_doc, storable
from kb.index.signatures import CardRow, card_row
from kb.index.spool import Spool
from kb.index.texts import columns, doc_row, said_of
from kb.knowledge.gather import gather
from kb.knowledge.model import SessionFacts


class Derived(NamedTuple):
    """What a unit gives: the cards of each signature, its own first, documents by number with the numbers of the files
    that they lie beside, and for each file its facts with these texts.
    """

    cards: list[list[Card]]
    docs: list[tuple[int, Doc, int]]
    facts: list[tuple[int, bytes]]


class Rows(NamedTuple):
    """The same as rows: those of cards, of documents, of the full text, of facts."""

    cards: list[list[CardRow]]
    docs: list[tuple[object, ...]]
    full: list[tuple[object, ...]]
    facts: list[tuple[int, bytes]]


def derive(unit: Unit, spool: Spool) -> Derived:
    """What can be derived of a unit."""
    said = {file: spool.said(file) for file in unit.files}
    seen_in = dict.fromkeys((*unit.files, *(file for _, files in unit.signatures for file in files)))
    facts = {file: spool.facts(file, said.get(file, "")) for file in seen_in}
    knowledge = gather(facts.values(), only={key for key, _ in unit.signatures}, explained=False)
    file_of = {one.id: file for file, one in facts.items()}
    cards: list[list[Card]] = []
    docs: list[tuple[Doc, int]] = []
    for key, _ in unit.signatures:
        known = knowledge.signatures[key]
        cards.append(make_cards(known, knowledge))
        docs.append((signature_doc(known, knowledge.sessions), file_of[known.sessions[-1]]))
    for slug, made in unit.fixes:
        docs.append((doc_of_fix(slug, made, spool.without_failures), made[0][0]))
    docs += ((session_doc(facts[file]), file) for file in unit.files)
    texts: dict[int, dict[int, str]] = {file: {} for file in unit.files}
    for number, (doc, file) in enumerate(docs, unit.first):
        texts[file][number] = said_of(doc)
    numbered = [(number, *one) for number, one in enumerate(docs, unit.first)]
    stored = [(file, written(said[file], texts[file], shared_facets(facts[file]))) for file in unit.files]
    return Derived(cards, numbered, stored)


def rows(derived: Derived, press: Press, common: bytes) -> Rows:
    """What was derived, as it is stored; facts are compressed with `press`, cards by what is `common` to them."""
    return Rows(
        [[card_row(card, common) for card in each] for each in derived.cards],
        [doc_row(*one) for one in derived.docs],
        [(number, *columns(doc.title, said_of(doc))) for number, doc, _ in derived.docs],
        [(file, press.pack(data)) for file, data in derived.facts],
    )


def doc_of_fix(slug: str, rows: Sequence[tuple[int, bool]], facts_of: Callable[[int], SessionFacts]) -> Doc:
    """The document of a fix that was made in these files, the newest first, each with whether it helped there."""
    made: Iterable[SessionFacts] = (facts_of(file) for file, _ in rows)
    made_as = ((session, fix) for session in made for fix in session.fixes if storable(fix.slug) == slug)
    return fix_doc(made_as, proven=any(helped for _, helped in rows), seen=len(rows))
