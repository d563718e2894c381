"""The marks that a shell prints before and after each command, found in what the terminal gets.

Own marks are `ESC ] 7770 ; NONCE ; KIND ; TEXT` with BEL or ESC \\ at the end; the nonce is known to the shell alone,
so that the output of a program cannot forge one. KIND is C (a command begins, TEXT is its line), H (the same, TEXT is
bash's history entry with its number), N (the history entry before the first command) or D (it ended: status;folder).
Marks of shells that are integrated with their terminal are read where kb has no marks of its own: OSC 133 (FinalTerm,
also with kitty's `cmdline_url=`) and OSC 633 (VS Code).
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

#: A mark that has not ended after so many bytes is none.
LONGEST = 1 << 16

_END = re.compile(rb"\x07|\x1b\\")
_FOREIGN = re.compile(rb"\x1b\](133|633);")
_ESCAPED = re.compile(r"\\(\\|x[0-9a-fA-F]{2})")
_HISTORY = re.compile(r"\s*(\d+)[* ]?\s?")


class Mark(NamedTuple):
    """A mark and its place, `start` to `end`: `kind` is one of `begins`, `ends`, `prompt`, `typing`, `line`, `folder`.

    `text` is the command line (`begins`, `line`) or the folder (`ends`, `folder`), "" when it is not said; `number` is
    the exit status (`ends`) or the number in the history (`begins`, `line`), None when it is not said.
    """

    start: int
    end: int
    kind: str
    text: str = ""
    number: int | None = None


class Marks:
    """Finds the marks of one shell: own ones when there is a `nonce`, else those of integrated shells."""

    def __init__(self, nonce: str) -> None:
        self.own = bool(nonce)
        self._begin = f"\x1b]7770;{nonce};".encode() if nonce else b""

    def find(self, data: bytes) -> tuple[list[Mark], int]:
        """The marks in `data`, and where a mark begins that has not ended yet (the length of `data` when none does)."""
        return self._find_own(data) if self.own else self._find_foreign(data)

    def without(self, data: bytes) -> tuple[bytes, int]:
        """`data` as the terminal is to get it, without own marks, and how much of `data` that is."""
        if not self.own:
            return data, len(data)
        marks, end = self._find_own(data)
        if not marks:
            return data[:end], end
        kept = [data[before.end : mark.start] for before, mark in zip([Mark(0, 0, ""), *marks], marks, strict=False)]
        return b"".join([*kept, data[marks[-1].end : end]]), end

    def _find_own(self, data: bytes) -> tuple[list[Mark], int]:
        marks: list[Mark] = []
        at = 0
        while (start := data.find(self._begin, at)) >= 0:
            begin = start + len(self._begin)
            ended = _END.search(data, begin, begin + LONGEST)
            if ended is None:
                if len(data) - begin < LONGEST:
                    return marks, start
                at = begin
                continue
            mark = _own(start, ended.end(), data[begin : ended.start()].decode("utf-8", "replace"))
            if mark is not None:
                marks.append(mark)
            at = ended.end()
        return marks, _open_end(data, self._begin)

    def _find_foreign(self, data: bytes) -> tuple[list[Mark], int]:
        marks: list[Mark] = []
        at = 0
        while (begun := _FOREIGN.search(data, at)) is not None:
            ended = _END.search(data, begun.end(), begun.end() + LONGEST)
            if ended is None:
                if len(data) - begun.end() < LONGEST:
                    return marks, begun.start()
                at = begun.end()
                continue
            mark = _foreign(begun.start(), ended.end(), data[begun.end() : ended.start()].decode("utf-8", "replace"))
            if mark is not None:
                marks.append(mark)
            at = ended.end()
        return marks, min(_open_end(data, b"\x1b]133;"), _open_end(data, b"\x1b]633;"))


def _open_end(data: bytes, begin: bytes) -> int:
    """Where the end of `data` may be the start of `begin`, else its length."""
    at = data.rfind(b"\x1b", max(0, len(data) - len(begin)))
    return at if at >= 0 and begin.startswith(data[at:]) else len(data)


def _own(start: int, end: int, body: str) -> Mark | None:
    kind, _, text = body.partition(";")
    text = text.replace("\r\n", "\n")
    if kind == "C":
        return Mark(start, end, "begins", text.strip("\n"))
    if kind in ("H", "N"):
        entry = _HISTORY.match(text)
        number = int(entry[1]) if entry else None
        line = text[entry.end() :].rstrip("\n") if entry else ""
        return Mark(start, end, "begins" if kind == "H" else "line", line, number)
    if kind == "D":
        status, _, folder = text.partition(";")
        return Mark(start, end, "ends", folder, int(status) if status.isdigit() else None)
    return None


def _foreign(start: int, end: int, body: str) -> Mark | None:
    kind, *fields = body.split(";")
    if kind == "A":
        return Mark(start, end, "prompt")
    if kind == "B":
        return Mark(start, end, "typing")
    if kind == "C":
        line = next((unquote(f.partition("=")[2]) for f in fields if f.startswith("cmdline_url=")), "")
        return Mark(start, end, "begins", line)
    if kind == "D":
        code = fields[0] if fields else ""
        return Mark(start, end, "ends", "", int(code) if code.isdigit() else None)
    if kind == "E":
        return Mark(start, end, "line", _unescaped(fields[0]) if fields else "")
    if kind == "P" and fields and fields[0].startswith("Cwd="):
        return Mark(start, end, "folder", _unescaped(fields[0][4:]))
    return None


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), text)
