"""Facts, compressed with what those of one knowledge base have in common: a dictionary that a whole build trains."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kb.index.squeeze import COMMON

if TYPE_CHECKING:
    import zstandard

#: A dictionary is worth its room from so many texts on; so many are looked at, to make one of so many bytes.
FEWEST = 200
MOST = 500
_SIZE = 64 << 10
_LEVEL = 6


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
    row = db.execute("SELECT data FROM dictionary").fetchone()
    return Press(row[0]) if row else Press()


def train(db: sqlite3.Connection, texts: Sequence[bytes]) -> None:
    """Give an index that holds no facts yet a dictionary made from these, unless they are too few."""
    import zstandard

    if len(texts) < FEWEST:
        return
    try:
        # The algorithm COVER (Liao, Petri, Moffat, Wirth, 2016), with fixed parameters: to try many takes a minute.
        made = zstandard.train_dictionary(_SIZE, list(texts), k=200, d=8).as_bytes()
    except zstandard.ZstdError:
        return  # texts that have too little in common
    db.execute("INSERT INTO dictionary VALUES (?)", (made,))
