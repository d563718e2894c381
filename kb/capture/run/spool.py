"""The log of one command on disk, in bounded space: its beginning, its end, and what stands round errors between.

A folder holds `head.log`; `tail-N.log`, at most two of them, each named by the number of its first line; and
`windows.log`, the neighbourhoods of error words (`kb.failures.places`) in what was dropped between, each behind a line
`first-line length`. Whatever a process is killed at, the folder reads back: a frame cut off is left out. Every text was
redacted before it gets here.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from kb.capture.run.screen import LONGEST, Taken, plain_lines

HEAD = 256 << 10
#: Of one step no more than this is kept as the tail; a tail file is closed when it is larger than `_SEGMENT`.
TAIL = 128 << 10
_SEGMENT = 512 << 10
WINDOWS = 1 << 20


class Redactor(Protocol):
    """What removes secrets: from a text that stands alone, and from lines that follow each other."""

    def text(self, text: str) -> str:
        """`text` redacted."""

    def line(self, line: str) -> str:
        """The next line or lines redacted."""


class Piece(NamedTuple):
    """Consecutive lines of a log, `first` being the number of the first."""

    first: int
    text: str


class Spool:
    """Writes the log of one command into a folder."""

    def __init__(self, folder: Path, redactor: Redactor, state: Mapping[str, int] | None = None) -> None:
        """Go on from `state`, or begin a new log; what a killed process wrote beyond `state` is written over."""
        self.folder = folder
        self._redactor = redactor
        known = dict(state or {})
        self._head = known.get("head", 0)
        self._windows = known.get("windows", 0)
        self._first = known.get("first", 0)
        self._older = known.get("older", 0)
        self._size = known.get("size", 0)
        self.lines = known.get("lines", 0)
        self._files: dict[str, int] = {}
        self._touched: dict[str, int] = {}
        if state is not None:
            self._cut_back()

    @property
    def state(self) -> dict[str, int]:
        """All that another process needs to go on from here."""
        return {
            "head": self._head,
            "windows": self._windows,
            "first": self._first,
            "older": self._older,
            "size": self._size,
            "lines": self.lines,
        }

    def add(self, taken: Taken) -> None:
        """Store what a step of the screen yielded. Raises OSError when the disk takes no more."""
        if taken.rows:
            self._rewrite(taken)
        elif taken.text:
            self._append(taken.text)

    def pass_over(self, data: bytes) -> int:
        """How many bytes at the start of `data`, read at once, need not be looked at: they would be dropped anyway.

        Of them the neighbourhoods of errors are stored, and the lines counted.
        """
        if not self._first or len(data) <= 2 * TAIL:
            return 0
        cut = data.rfind(b"\n", 0, len(data) - TAIL) + 1
        dropped = data[:cut]
        self.lines += self._drop(self.lines + 1, dropped)
        self._rotate()
        return cut

    def close(self) -> None:
        """Release the files."""
        for fd in self._files.values():
            os.close(fd)
        self._files = {}

    def _append(self, text: str) -> None:
        if not self._first and self._head < HEAD:
            cut = text.find("\n", HEAD - self._head) + 1 or len(text)
            self._head += self._write("head.log", self._head, self._redactor.line(text[:cut]))
            self.lines += text.count("\n", 0, cut)
            text = text[cut:]
        if len(text) > TAIL:
            cut = text.find("\n", len(text) - TAIL) + 1
            self.lines += self._drop(self.lines + 1, text[:cut].encode("utf-8", "replace"))
            text = text[cut:]
            self._rotate()  # the lines of a tail are consecutive
        if text:
            if not self._first or self._size >= _SEGMENT:
                self._rotate()
            self._size += self._write(_tail(self._first), self._size, self._redactor.line(text))
            self.lines += text.count("\n")

    def _rotate(self) -> None:
        """Begin a new tail; the one before the last is dropped, but for what stands round errors."""
        if self._older:
            with contextlib.suppress(FileNotFoundError):  # dropped already, by a process that was killed right after
                self._drop(self._older, (self.folder / _tail(self._older)).read_bytes())
            self._forget(_tail(self._older))
        self._older, self._first, self._size = self._first, self.lines + 1, 0

    def _drop(self, first: int, data: bytes) -> int:
        """Keep of lines that are dropped only the neighbourhoods of errors, while there is room; how many lines."""
        if self._windows >= WINDOWS:
            return data.count(b"\n")
        from kb.failures.places import neighbourhoods

        total = 0
        for batch in neighbourhoods(io.BytesIO(data)):
            total = batch.total
            for piece in _runs(batch.numbers, batch.lines):
                text = self._redactor.text(plain_lines(piece.text)).encode("utf-8", "replace")
                frame = b"%d %d\n%b" % (first + piece.first - 1, len(text), text)
                if self._windows + len(frame) <= WINDOWS:
                    self._windows += self._write("windows.log", self._windows, frame)
        return total

    def _rewrite(self, taken: Taken) -> None:
        """Replace the last lines of the log; those that are no longer in the file being written stay as they are."""
        name, size = (_tail(self._first), self._size) if self._first else ("head.log", self._head)
        start = max(0, size - (LONGEST + LONGEST))
        last = os.pread(self._open(name), size - start, start).decode("utf-8", "replace").splitlines(keepends=True)
        back = last[max(0, len(last) - taken.back) :] if taken.back else []
        rows = taken.rows[taken.back - len(back) :]
        kept = (back[at] if row is None else row + "\n" for at, row in enumerate(rows))
        at = size - sum(len(line.encode("utf-8", "replace")) for line in back)
        size = at + self._write(name, at, self._redactor.text("".join(kept)))
        os.ftruncate(self._files[name], size)
        if self._first:
            self._size = size
        else:
            self._head = size
        self.lines += len(rows) - len(back)

    def _write(self, name: str, at: int, text: str | bytes) -> int:
        data = memoryview(text.encode("utf-8", "replace") if isinstance(text, str) else text)
        fd = self._open(name)
        done = 0
        while done < len(data):
            done += os.pwrite(fd, data[done:], at + done)
        return done

    def _open(self, name: str) -> int:
        fd = self._files.get(name)
        if fd is None:
            fd = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._files[name] = fd
        return fd

    def _forget(self, name: str) -> None:
        fd = self._files.pop(name, None)
        if fd is not None:
            os.close(fd)
        (self.folder / name).unlink(missing_ok=True)

    def _cut_back(self) -> None:
        """Undo what was written after `state`."""
        sizes = {"head.log": self._head, "windows.log": self._windows}
        if self._first:
            sizes[_tail(self._first)] = self._size
        for name, size in sizes.items():
            with contextlib.suppress(FileNotFoundError):
                os.truncate(self.folder / name, size)
        for path in self.folder.glob("tail-*.log"):
            if _number(path) > self._first:
                path.unlink()


def _tail(first: int) -> str:
    return f"tail-{first}.log"


def _number(path: Path) -> int:
    digits = path.stem.rpartition("-")[2]
    return int(digits) if digits.isdigit() else 0


def _runs(numbers: list[int], lines: list[str]) -> Iterator[Piece]:
    """The runs of consecutive lines in a batch of neighbourhoods."""
    start = 0
    for at in range(1, len(numbers) + 1):
        if at == len(numbers) or numbers[at] != numbers[at - 1] + 1:
            if numbers[start]:
                yield Piece(numbers[start], "".join(f"{line}\n" for line in lines[start:at]))
            start = at


class Kept(NamedTuple):
    """What is left of a log: its pieces in order, and how many lines it had."""

    pieces: tuple[Piece, ...]
    lines: int

    @property
    def omitted(self) -> int:
        """How many lines were not kept."""
        return self.lines - sum(piece.text.count("\n") for piece in self.pieces)

    @property
    def text(self) -> str:
        """The pieces as one text; a line in brackets says how many lines are missing between two."""
        parts: list[str] = []
        at = 1
        for piece in self.pieces:
            if piece.first > at:
                parts.append(f"[... {piece.first - at} lines left out ...]\n")
            parts.append(piece.text)
            at = piece.first + piece.text.count("\n")
        if self.lines >= at:
            parts.append(f"[... {self.lines - at + 1} lines left out ...]\n")
        return "".join(parts)


def read_spool(folder: Path) -> Kept:
    """The log that lies in `folder`; empty when there is none. Never raises for what a killed process left there."""
    head = _read(folder / "head.log")
    pieces = [Piece(1, head)] if head else []
    tails = sorted((_number(path), path) for path in folder.glob("tail-*.log"))
    rest = [Piece(first, text) for first, path in tails if first and (text := _read(path))]
    at = 1 + head.count("\n")
    for piece in sorted([*_frames(folder / "windows.log"), *rest]):
        if piece.first >= at:
            pieces.append(piece)
            at = piece.first + piece.text.count("\n")
    return Kept(tuple(pieces), at - 1)


def _read(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
    return text if not text or text.endswith("\n") else text + "\n"


def _frames(path: Path) -> Iterator[Piece]:
    try:
        data = path.read_bytes()
    except OSError:
        return
    at = 0
    while (end := data.find(b"\n", at)) >= 0:
        first, _, length = data[at:end].partition(b" ")
        if not first.isdigit() or not length.isdigit() or end + 1 + int(length) > len(data):
            return
        at = end + 1 + int(length)
        yield Piece(int(first), data[end + 1 : at].decode("utf-8", "replace"))
