"""The records behind the pages, read when a page asks for one: a build that changes little reads little."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kb.home import Home
from kb.record.folder import read_own_below
from kb.record.sections import Sections

#: How many records are kept as they were read. Pages are made in an order that asks for each once.
KEPT = 16


class Records(Mapping[str, Sections]):
    """What the session records of `home` say below their front matter, by id, less those that cannot be read; `files`
    are their paths below its root."""

    def __init__(self, home: Home, files: Mapping[str, str]) -> None:
        self._home = home
        self._files = files
        self._read: dict[str, Sections | None] = {}

    def __getitem__(self, session_id: str) -> Sections:
        if session_id not in self._read:
            if len(self._read) >= KEPT:
                del self._read[next(iter(self._read))]
            name = self._files[session_id]
            self._read[session_id] = read_own_below(self._home, self._home.root / name)
        found = self._read[session_id]
        if found is None:
            raise KeyError(session_id)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)
