"""Letting a person edit the record of a session while kb goes on writing it.

The editor gets a copy. What kb adds meanwhile waits in the journal; what anybody else changed in the record itself is
never overwritten.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kb.atomic import write_bytes
from kb.capture.current import Current
from kb.capture.lock import is_locked, locked
from kb.capture.writing import change, editing
from kb.errors import Location, Problem, RecordError, WriteError


class Copy:
    """The copy of a record that is edited.

    One that was left behind, by an editor that was killed, is taken up again (`going_on`); when the record has changed
    since, it is put aside instead, as the file `aside`.
    """

    def __init__(self, current: Current) -> None:
        self._current = current
        folder = current.home.root / ".kb" / "edit"
        # Named like the record, so that an editor knows what it is.
        self.path = folder / f"{current.id}.md"
        self._original = folder / f"{current.id}.original"
        self.aside: Path | None = None
        self.going_on = self._left_behind()

    def edit(self, editor: Callable[[Path], None]) -> tuple[Problem, ...]:
        """Let `editor` work on the copy, and make it the record; the problems that the record has then.

        Raises WriteError when the record was changed by somebody else meanwhile: the copy stays.
        """
        with locked(editing(self._current), patience=0.5):
            if not self.going_on:
                data = self._current.record.read_bytes()
                write_bytes(self._original, data)
                write_bytes(self.path, data)
            editor(self.path)
            self._put_back()
        try:
            change(self._current, lambda draft: None)
        except RecordError as error:
            return error.problems
        return ()

    def _put_back(self) -> None:
        original, edited = self._original.read_bytes(), self.path.read_bytes()
        if edited != original:
            if self._current.record.read_bytes() != original:
                hint = f"what you wrote is in {self.path}"
                raise WriteError("changed while it was edited", location=Location(str(self._current.record)), hint=hint)
            write_bytes(self._current.record, edited)
        self.path.unlink()
        self._original.unlink()

    def _left_behind(self) -> bool:
        try:
            edited, original = self.path.read_bytes(), self._original.read_bytes()
            now = self._current.record.read_bytes()
        except OSError:
            return False
        if edited in (original, now) or is_locked(editing(self._current)):
            return False
        if original == now:
            return True
        self.aside = self.path.with_suffix(f".{int(self.path.stat().st_mtime)}.md")
        self.path.replace(self.aside)
        return False
