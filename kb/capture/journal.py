"""Entries that wait until their record can be written: it is open in an editor, or has a problem.

One line of JSON per entry below `.kb/waiting/`. A second small file says which content of the record they went into, so
that a process killed between writing the record and clearing the journal leaves no entry twice.
"""

from __future__ import annotations

import os
from hashlib import sha256

from kb.atomic import write_text
from kb.capture.entry import Entry, from_line, to_line
from kb.home import Home


class Journal:
    """The waiting entries of one session. To be used under the lock of its record."""

    def __init__(self, home: Home, id_: str) -> None:
        self.path = home.root / ".kb" / "waiting" / f"{id_}.jsonl"
        self._going_into = self.path.with_suffix(".sha256")

    def add(self, entry: Entry) -> None:
        """Append `entry`, on disk when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as stream:
            # A line that was cut off by a crash must not swallow this one.
            start = b"\n" if stream.tell() and not self._ends_in_line() else b""
            stream.write(start + to_line(entry).encode("utf-8") + b"\n")
            stream.flush()
            os.fsync(stream.fileno())

    def entries(self, record: bytes) -> list[Entry]:
        """The entries in order, lines cut off left out; none when `record`, the record's content, has them already."""
        if not self.path.exists():
            return []
        try:
            if self._going_into.read_text("ascii").strip() == sha256(record).hexdigest():
                self.clear()
                return []
        except OSError:
            pass
        found: list[Entry] = []
        for line in self.path.read_text("utf-8", errors="replace").splitlines():
            try:
                found.append(from_line(line))
            except ValueError:
                continue
        return found

    def goes_into(self, record: bytes) -> None:
        """Note that `record` is about to be written, with all entries in it."""
        if self.path.exists():
            write_text(self._going_into, sha256(record).hexdigest() + "\n")

    def clear(self) -> None:
        """Forget the entries: they are in the record."""
        self.path.unlink(missing_ok=True)
        self._going_into.unlink(missing_ok=True)

    def _ends_in_line(self) -> bool:
        with self.path.open("rb") as stream:
            stream.seek(-1, os.SEEK_END)
            return stream.read(1) == b"\n"
