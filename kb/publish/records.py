"""The records behind the pages, read when a page asks for one: a build that changes little reads little."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping

from kb.home import Home
from kb.record.folder import read_own
from kb.record.model import Session

#: How many records are kept as they were read; the others take a tenth of the room, and little time to unfold.
KEPT = 256


class Records(Mapping[str, Session]):
    """The session records of `home` by id, less those that cannot be read; `files` are their paths below its root."""

    def __init__(self, home: Home, files: Mapping[str, str]) -> None:
        self._home = home
        self._files = files
        self._read: dict[str, Session | None] = {}
        self._folded: dict[str, bytes] = {}

    def __getitem__(self, session_id: str) -> Session:
        if session_id not in self._read:
            self._make_room()
            self._read[session_id] = self._again(session_id)
        found = self._read[session_id]
        if found is None:
            raise KeyError(session_id)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def _again(self, session_id: str) -> Session | None:
        if session_id in self._folded:
            found: Session | None = pickle.loads(self._folded[session_id])  # noqa: S301 - made below, in this process
            return found
        name = self._files[session_id]
        return read_own(self._home, self._home.root / name, name).session

    def _make_room(self) -> None:
        if len(self._read) >= KEPT:
            oldest = next(iter(self._read))
            found = self._read.pop(oldest)
            if oldest not in self._folded:
                self._folded[oldest] = pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL)
