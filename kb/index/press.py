"""What the texts of one knowledge base have in common, by which they are compressed: a whole build learns it.

Facts are compressed by zstd with a large dictionary; cards by zlib with a small one (kb.index.squeeze), because triage
reads them, and to load the other library takes longer than to read one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from kb.index.squeeze import COMMON, OF_CARDS

if TYPE_CHECKING:
    import zstandard

#: A dictionary is worth its room from so many texts on; it has so many bytes.
FEWEST = 200
_SIZES = {"facts": 256 << 10, "cards": 12_000}
_LEVEL = 8


class Press:
    """Compresses and restores with one dictionary."""

    def __init__(self, dictionary: bytes = COMMON) -> None:
        import zstandard  # loaded when facts are read or written: most questions need none

        self._shared = zstandard.ZstdCompressionDict(dictionary)
        self._error = zstandard.ZstdError
        self._pack: zstandard.ZstdCompressor | None = None
        self._unpack = zstandard.ZstdDecompressor(dict_data=self._shared)

    def pack(self, data: bytes) -> bytes:
        """`data`, compressed."""
        if self._pack is None:
            import zstandard

            self._pack = zstandard.ZstdCompressor(level=_LEVEL, dict_data=self._shared, write_dict_id=False)
        return self._pack.compress(data)

    def unpack(self, blob: bytes) -> bytes:
        """What `pack` packed. Raises ValueError for anything else."""
        try:
            return self._unpack.decompress(blob)
        except self._error as error:
            raise ValueError(str(error)) from error


def press_of(db: sqlite3.Connection) -> Press:
    """The press of an index."""
    learned = _learned(db, "facts")
    return Press(learned) if learned else Press()


def common_of(db: sqlite3.Connection) -> bytes:
    """What the cards of an index are compressed by."""
    return _learned(db, "cards") or OF_CARDS


def learn(db: sqlite3.Connection, kind: Literal["facts", "cards"], texts: Sequence[bytes]) -> None:
    """Give an index that holds none of this kind yet a dictionary made from `texts`, unless they are too few."""
    import zstandard

    if len(texts) < FEWEST:
        return
    try:
        # The algorithm COVER (Liao, Petri, Moffat, Wirth, 2016), with fixed parameters: to try many takes a minute.
        made = zstandard.train_dictionary(_SIZES[kind], list(texts), k=400, d=6).as_bytes()
    except zstandard.ZstdError:
        return  # texts that have too little in common
    db.execute("INSERT INTO dictionary VALUES (?, ?)", (kind, made))


def _learned(db: sqlite3.Connection, kind: str) -> bytes | None:
    row = db.execute("SELECT data FROM dictionary WHERE kind = ?", (kind,)).fetchone()
    return row[0] if row else None
