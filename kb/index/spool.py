"""The facts of all sessions while an index is built as a whole: in a file of its own, which nobody else sees."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from kb.knowledge.facts_json import dump, load
from kb.knowledge.model import SessionFacts

#: The facts of so many sessions, the first, stay in memory: most knowledge bases have fewer.
_KEPT = 500


class Spool:
    """Facts by the number of their file; it can be read in processes that were forked from this one, too."""

    def __init__(self, beside: Path) -> None:
        import zstandard

        self._pack = zstandard.ZstdCompressor(level=1)
        self._unpack = zstandard.ZstdDecompressor()
        # Where a file must have a name until it is open, the next build knows what a killed one left by this name.
        self._file = tempfile.TemporaryFile(dir=beside.parent, prefix=f"{beside.name}.")  # noqa: SIM115
        self._places: dict[int, tuple[int, int]] = {}
        self._kept: dict[int, SessionFacts] = {}
        self._end = 0

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def put(self, file: int, facts: SessionFacts) -> None:
        """Keep the facts of a file."""
        packed = self._pack.compress(dump(facts).encode("utf-8", "surrogatepass"))
        self._file.write(packed)
        self._places[file] = (self._end, len(packed))
        self._end += len(packed)
        if len(self._kept) < _KEPT:
            self._kept[file] = facts

    def written(self) -> None:
        """Nothing more is put in: from now on it is read."""
        self._file.flush()

    def said(self, file: int) -> str:
        """What `dump` said of the facts of a file."""
        at, size = self._places[file]
        if hasattr(os, "pread"):
            packed = os.pread(self._file.fileno(), size, at)
        else:
            self._file.seek(at)
            packed = self._file.read(size)
        return self._unpack.decompress(packed).decode("utf-8", "surrogatepass")

    def facts(self, file: int, said: str = "") -> SessionFacts:
        """The facts of a file; `said` is what `said` gives, where that is at hand."""
        return self._kept.get(file) or load(said or self.said(file))

    def without_failures(self, file: int) -> SessionFacts:
        """The facts of a file, where no more than its fixes and what they did is asked for."""
        return self._kept.get(file) or load(self.said(file), seen=False)
