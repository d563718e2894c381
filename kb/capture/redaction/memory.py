"""The numbers of personal values: one value, one number, for as long as a session lasts.

Several kb processes write one session, so the numbers lie in a file that only its owner can read, in the state folder
of the knowledge base, and are removed when the session is finished. It holds personal values, never a secret and no
hash of one: secrets are not numbered, so they need no memory.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from pathlib import Path

from kb.errors import WriteError

_PLACEHOLDER = re.compile(r"<([a-z]{2,12}):(\d{1,9})>")


class Memory:
    """Numbers for values by kind, from 1; with a `path`, shared by all processes that name it.

    The placeholders in the text `taken` stand for values that nobody knows any more: their numbers are not given again.
    """

    def __init__(self, path: Path | None = None, *, taken: str = "") -> None:
        self._path = path
        self._taken: dict[str, int] = {}
        for kind, number in _PLACEHOLDER.findall(taken):
            self._taken[kind] = max(int(number), self._taken.get(kind, 0))
        self._read_to = 0
        self._numbers: dict[str, dict[str, int]] = {}

    def number(self, kind: str, value: str) -> int:
        """The number of `value` among those of its kind; a new one when it is met for the first time.

        Raises WriteError when the file cannot be read or written.
        """
        known = self._numbers.setdefault(kind, {})
        if value not in known:
            if self._path is None:
                known[value] = self._next(kind)
            else:
                self._take(kind, value)
        return known[value]

    def _take(self, kind: str, value: str) -> None:
        assert self._path is not None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "r+b") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX)
                stream.seek(self._read_to)
                self._learn(stream.read())
                known = self._numbers.setdefault(kind, {})
                if value not in known:
                    line = json.dumps([kind, value]).encode() + b"\n"
                    # A process that was killed while it wrote leaves half a line: it is closed, and read as nothing.
                    end = stream.seek(0, os.SEEK_END)
                    if end > self._read_to:
                        line = b"\n" + line
                    stream.write(line)
                    stream.flush()
                    known[value] = self._next(kind)
                    self._read_to = stream.tell()
        except OSError as error:
            raise WriteError(f"the numbers of placeholders cannot be kept in {self._path}: {error.strerror}") from error

    def _learn(self, data: bytes) -> None:
        """Take up the whole lines of `data`, which others have written."""
        whole = data.rfind(b"\n") + 1
        self._read_to += whole
        for line in data[:whole].splitlines():
            try:
                kind, value = json.loads(line)
            except ValueError:
                continue
            if isinstance(kind, str) and isinstance(value, str):
                known = self._numbers.setdefault(kind, {})
                known.setdefault(value, self._next(kind))

    def _next(self, kind: str) -> int:
        return self._taken.get(kind, 0) + len(self._numbers.get(kind, ())) + 1

    def forget(self) -> None:
        """Remove the file: the session is finished, and nothing has to agree with it any more."""
        self._numbers.clear()
        self._read_to = 0
        if self._path is not None:
            self._path.unlink(missing_ok=True)
