"""What the ids of an older index have become: its evidence is signed again by the rules of now."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from kb.errors import StoreError
from kb.index.opening import open_to_read
from kb.index.schema import algorithm
from kb.knowledge.model import Occurrence


def became(index: Path, *, any_version: bool) -> dict[str, tuple[str, ...]]:
    """The ids of now by the id in `index`, the most frequent first, of all that have changed.

    The stored evidence of every occurrence is signed again. Nothing is looked at when the index was made by the version
    of the rules that signs now, unless `any_version`; nothing is found in one that cannot be read.
    """
    counts: dict[str, Counter[str]] = {}
    try:
        with closing(open_to_read(index)) as db:
            made = dict(db.execute("SELECT key, value FROM meta")).get("algorithm")
            if made == algorithm() and not any_version:
                return {}
            for one in _occurrences(db):
                old = one.signature.signed or one.signature.id
                counts.setdefault(old, Counter())[_again(one)] += 1
    except (StoreError, sqlite3.Error, ValueError, TypeError, IndexError):
        return {}
    return {
        old: tuple(sorted(now, key=lambda new: (-now[new], new)))
        for old, now in sorted(counts.items())
        if old not in now
    }


def _occurrences(db: sqlite3.Connection) -> Iterator[Occurrence]:
    from kb.index.facts import read
    from kb.index.press import press_of

    press = press_of(db)
    for (blob,) in db.execute("SELECT facts FROM file JOIN facts ON file = number WHERE counts ORDER BY path"):
        yield from read(press.unpack(blob)).occurrences


def _again(one: Occurrence) -> str:
    from kb.signature.sign import sign, sign_declared

    if one.failure.kind == "declared":
        return sign_declared(one.failure.type, one.failure.message).id
    return sign(one.failure).id
