"""Writing the signatures of the index, with the words that lead to them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from kb.index.alike import alike_words
from kb.index.card import Card, dump_card, load_card
from kb.index.pieces import anchor_words
from kb.index.postings import Changes, frequencies, rows_in
from kb.index.press import common_of
from kb.index.rows import storable
from kb.index.schema import said

_COLUMNS = "id, type, template, anchor, card, said"
_READ = f"SELECT {_COLUMNS}, filed FROM known WHERE number = ?"  # noqa: S608
_WRITE = (
    "INSERT OR REPLACE INTO signature (id, type, template, anchored, card, said, filed, number) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
#: An anchor of so many characters is stored as it is.
_LONG = 1 << 16


class CardRow(NamedTuple):
    """A card as it is written: its columns, the words that lead to it, and the anchor that it is filed by, or ""."""

    columns: tuple[str, str, str, str, bytes, int]
    words: tuple[str, ...]
    anchor: str

    @property
    def key(self) -> str:
        """What the card is filed by in the index."""
        return self.columns[0]


def card_row(card: Card, common: bytes) -> CardRow:
    """The row of a card, compressed by what cards have in `common`."""
    card = _stored(card)
    columns = (card.key, card.type, card.template, card.anchor, dump_card(card, common), said(card.type, card.template))
    return CardRow(columns, tuple(dict.fromkeys(_words(card))), card.anchor if card.pattern else "")


class Signatures:
    """The signatures of an index that is being built; with `fresh` there is none yet, and each is put in once."""

    def __init__(self, db: sqlite3.Connection, *, fresh: bool = False) -> None:
        self._db = db
        self._fresh = fresh
        self._common = common_of(db)
        self.last = int(db.execute("SELECT coalesce(max(number), 0) FROM signature").fetchone()[0])
        self._new: dict[str, int] = {}
        self._new_ids: dict[int, str] = {}
        self._words = Changes(db, "posting", fresh=fresh)
        self._anchors = Changes(db, "anchor", fresh=fresh)
        self._unfiled: dict[int, str] = {}
        self._rows: dict[int, tuple[Any, ...]] = {}

    def number_of(self, key: str) -> int:
        """The number of the signature of this id; a new one gets the next."""
        if key in self._new:
            return self._new[key]
        row = None
        if not self._fresh:
            row = self._db.execute("SELECT number FROM signature WHERE id = ?", (key,)).fetchone()
        if row is not None:
            return int(row[0])
        self.last += 1
        self._new[key] = self.last
        self._new_ids[self.last] = key
        return self.last

    def ids_of(self, numbers: Sequence[int]) -> dict[int, str]:
        """The ids of these numbers, in their order."""
        new = self._new_ids
        old = [number for number in numbers if number not in new]
        found = dict(rows_in(self._db, "SELECT number, id FROM signature WHERE number IN ({})", old))
        return {number: new.get(number) or found[number] for number in numbers}

    def put(self, number: int, new: CardRow) -> None:
        """Put a signature in that is not there yet."""
        self._words.add(new.words, number)
        if new.anchor:
            self._unfiled[number] = new.anchor
        self._rows[number] = (*new.columns, None)

    def write(self, number: int, card: Card) -> None:
        """Put a signature in, or in its place."""
        new = card_row(card, self._common)
        row = self._row(number)
        if row is None:
            self.put(number, new)
            return
        *columns, filed = row
        if tuple(columns) == new.columns:
            return
        old = load_card(*columns[:5], common=self._common)
        before = _words(old)
        for word in set(before).difference(new.words):
            self._words.remove(word, number)
        self._words.add([word for word in new.words if word not in before], number)
        if (old.anchor if old.pattern else "") != new.anchor or old.pattern != card.pattern:
            if filed is not None:
                self._anchors.remove(filed, number)
                filed = None
            self._unfiled.pop(number, None)
            if new.anchor:
                self._unfiled[number] = new.anchor
        self._rows[number] = (*new.columns, filed)

    def write_merged(self, key: str, cards: Sequence[Card]) -> None:
        """Let these cards be all by which the signature of this id is known besides its own."""
        wanted = {card.key: card for card in cards}
        for name in self._merged_into(key):
            if name not in wanted:
                self.remove(self.number_of(name))
        for name, card in wanted.items():
            self.write(self.number_of(name), card)

    def remove(self, number: int) -> None:
        """Take a signature out."""
        row = self._row(number)
        if row is None:
            return
        for word in _words(load_card(*row[:5], common=self._common)):
            self._words.remove(word, number)
        if row[-1] is not None:
            self._anchors.remove(row[-1], number)
        self._unfiled.pop(number, None)
        self._rows.pop(number, None)
        self._db.execute("DELETE FROM signature WHERE number = ?", (number,))

    def flush(self) -> None:
        """Write the words that changed. Of an index that was empty they are all in memory, and written once."""
        self._words.write()
        self._file()
        self._anchors.write()

    def _row(self, number: int) -> tuple[Any, ...] | None:
        """A signature as it is so far."""
        if number in self._rows:
            return self._rows[number]
        row: tuple[Any, ...] | None = self._db.execute(_READ, (number,)).fetchone()
        return row

    def _merged_into(self, key: str) -> list[str]:
        """What the signature of this id is known by, so far, besides its own id."""
        # The character after the slash is a zero.
        query = "SELECT id FROM signature WHERE instr(id, '/') > 0 AND id >= ? AND id < ?"
        return [name for (name,) in self._db.execute(query, (f"{key}/", f"{key}0"))]

    def _file(self) -> None:
        """File each anchor under the word in it that the fewest signatures hold."""
        words = {number: anchor_words(anchor) for number, anchor in self._unfiled.items()}
        counts = frequencies(self._db, sorted({word for found in words.values() for word in found}))
        filed: dict[object, str] = {}
        for number, found in words.items():
            # Numbers are no words of signatures, but many an anchor holds them.
            rarest = min(found, key=lambda word: (counts.get(word, self.last), -len(word)), default="")
            self._anchors.add((rarest,), number)
            filed[number] = rarest
        rows = (
            (key, type_, template, _anchored(type_, template, anchor), *rest, filed.get(number, held), number)
            for number, (key, type_, template, anchor, *rest, held) in sorted(self._rows.items())
        )
        self._db.executemany(_WRITE, rows)
        self._rows.clear()
        self._unfiled.clear()


def _anchored(type_: str, template: str, anchor: str) -> int | str:
    """How an anchor is stored: where it begins in `type: template` and its length, or else as it is."""
    at = f"{type_}: {template}".find(anchor)
    return anchor if at < 0 or len(anchor) >= _LONG else (at + 1) * _LONG + len(anchor)


def _stored(card: Card) -> Card:
    """`card` as it can be stored."""
    texts = "\n".join((card.title, card.type, card.template, card.pattern, card.anchor, *card.frames))
    if storable(texts) == texts:
        return card  # as nearly all are
    return card._replace(
        title=storable(card.title),
        type=storable(card.type),
        template=storable(card.template),
        pattern=storable(card.pattern),
        anchor=storable(card.anchor),
        frames=tuple(map(storable, card.frames)),
    )


def _words(card: Card) -> tuple[str, ...]:
    return alike_words(card.type, card.template, card.frames)
