"""What a terminal ends up showing, as plain lines: colours gone, progress bars folded, alternate screens left out.

Takes the bytes that a program wrote, gives whole lines of text. No full emulator: within a line, what was written over
is gone; lines that were moved back to (`CSI n A`, as bars of several lines do) are written again; the screens of
editors and pagers (`CSI ? 1049 h` to `l`) are dropped. Linear in its input.
"""

from __future__ import annotations

import re
from typing import NamedTuple

#: A line that has not ended after so many bytes is cut.
LONGEST = 1 << 16
#: A block of a key (`-----BEGIN` to `-----END`) is waited for until it is longer than this.
LONGEST_BLOCK = 1 << 14
#: Of a line written over and over, so many of its last versions are looked at: earlier ones are hidden by them.
_VERSIONS = 3
_LONGEST_VERSION = 4096
#: How far up a program may go to write lines again.
FURTHEST_UP = 200

_ALTERNATE = re.compile(rb"\x1b\[\?(?:1049|1047|47)([hl])")
_OPEN_SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*)?\Z")
# Everything a terminal obeys without moving the cursor: strings (titles, links, clipboards), colours, modes, charsets.
_SILENT = re.compile(
    "\x1b[\\]PX^_][^\x07\x1b]{0,65536}(?:\x07|\x1b\\\\)"
    "|\x1b\\[[0-?]{0,64}[ -/]{0,4}[@E-FHIL-Z`a-z{|}~]"
    "|\x1b[ -/]{1,3}[0-~]|\x1b[0-Z\\\\^_`-~]"
)
_MOVE = re.compile("\x1b\\[([0-9;]{0,16})([ABCDGJK])")
_OVERWRITES = re.compile("[\r\b\x1b]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


class Taken(NamedTuple):
    """What a step yields: how many bytes are done with, and the new lines.

    `text` follows the log as it is; when there are `rows`, they replace its last `back` lines instead (None stands for
    a line that stays as it was).
    """

    done: int
    text: str
    back: int = 0
    rows: tuple[str | None, ...] = ()


class Screen:
    """Folds one stream; `alternate` and `below` are all that it remembers between steps."""

    def __init__(self, *, alternate: bool = False, below: int = 0) -> None:
        """`below`: how many of the last lines of the log stand below the cursor."""
        self.alternate = alternate
        self.below = below

    def take(self, data: bytes, *, last: bool = False) -> Taken:
        """What `data` makes, up to its last line end (with `last`, all of it); the rest must be given again."""
        cut = len(data) if last else _before_open_block(data, data.rfind(b"\n") + 1)
        rest = data[cut:]
        if rest and (self._ends_in_alternate(data) or len(rest) > LONGEST):
            opened = _OPEN_SEQUENCE.search(data)
            cut = opened.start() if opened else _whole_characters(data)
        text = _silenced(self._main(data[:cut]).decode("utf-8", "replace"))
        if self.below or ("\x1b" in text and any(move[2] == "A" for move in _MOVE.finditer(text))):
            return self._rewritten(text, cut)
        return Taken(cut, _plain(text))

    def _ends_in_alternate(self, data: bytes) -> bool:
        switches = _ALTERNATE.findall(data) if b"\x1b[?" in data else []
        return switches[-1] == b"h" if switches else self.alternate

    def _main(self, data: bytes) -> bytes:
        """`data` without what was written to an alternate screen."""
        if not self.alternate and b"\x1b[?" not in data:
            return data
        kept: list[bytes] = []
        at = 0
        for switch in _ALTERNATE.finditer(data):
            if not self.alternate:
                kept.append(data[at : switch.start()])
            self.alternate = switch[1] == b"h"
            at = switch.end()
        if not self.alternate:
            kept.append(data[at:])
        return b"".join(kept)

    def _rewritten(self, text: str, cut: int) -> Taken:
        """Like `_plain` for text that goes up, to lines of the log that stand at or below the cursor, or above it."""
        rows: list[str | None] = [None] * self.below
        row = above = 0  # the row of the cursor, and how many rows stand above the one where this step began
        for number, piece in enumerate(text.split("\n")):
            row += number > 0
            parts = _UP_DOWN.split(piece)
            for at in range(0, len(parts), 3):
                if at:
                    steps = int(parts[at - 2] or 1)
                    row = max(row - steps, -FURTHEST_UP) if parts[at - 1] == "A" else row + min(steps, FURTHEST_UP)
                missing = -row - above
                if missing > 0:
                    rows[:0] = [None] * missing
                    above += missing
                rows.extend([None] * (row + above + 1 - len(rows)))
                written = _folded(parts[at])
                if written or _ERASES.search(parts[at]):
                    rows[row + above] = written
        back, cursor = above + self.below, row + above
        while len(rows) > max(cursor, back) and not rows[-1]:
            rows.pop()
        self.below = max(len(rows) - cursor, 0)
        return Taken(
            cut, "", back, tuple(("" if at >= back else None) if r is None else r for at, r in enumerate(rows))
        )


_UP_DOWN = re.compile("\x1b\\[([0-9]{0,4})([AB])")
_ERASES = re.compile("\x1b\\[[0-9]?K")


def plain_lines(text: str) -> str:
    """Whole lines as they are seen, for lines that stand alone."""
    return _plain(_silenced(text))


def _silenced(text: str) -> str:
    """`text` without what neither prints nor moves, lines ending in `\\n`."""
    if "\x1b" in text:
        text = _SILENT.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    for ignored in "\0\a":
        if ignored in text:
            text = text.replace(ignored, "")
    return text


def _plain(text: str) -> str:
    """`text` with each of its lines folded, and a line end at its end."""
    if "\r" in text or "\b" in text or "\x1b" in text:
        text = "\n".join(_folded(line) if _OVERWRITES.search(line) else line for line in text.split("\n"))
    return text if not text or text.endswith("\n") else text + "\n"


def _before_open_block(data: bytes, cut: int) -> int:
    """`cut`, or where a key block begins that has not ended by then: what removes secrets must see it whole."""
    begin = data.rfind(b"-----BEGIN ", max(0, cut - LONGEST_BLOCK), cut)
    if begin < 0 or data.find(b"-----END ", begin, cut) >= 0:
        return cut
    return data.rfind(b"\n", 0, begin) + 1


def _whole_characters(data: bytes) -> int:
    """The length of `data` without a character of several bytes that its end cuts, and if possible of a word."""
    blank = max(data.rfind(b" ", len(data) - 4096), data.rfind(b"\r", len(data) - 4096))
    if blank > 0:
        return blank + 1
    at = len(data)
    while at > len(data) - 4 and at > 0 and data[at - 1] & 0xC0 == 0x80:
        at -= 1
    return at - 1 if 0 < at < len(data) and data[at - 1] >= 0xC0 else len(data)


def _folded(line: str) -> str:
    """The line that is seen after `line`, with its returns, backspaces and erasures, was written."""
    if not _OVERWRITES.search(line):
        return line
    versions = [version for version in line.split("\r") if version]
    if len(versions) > _VERSIONS:
        versions = versions[-_VERSIONS:]
    seen: list[str] = []
    for version in versions:
        _overwrite(seen, version if len(versions) == 1 else version[:_LONGEST_VERSION])
    return "".join(seen).rstrip(" ") if len(versions) > 1 else "".join(seen)


def _overwrite(seen: list[str], version: str) -> None:
    """Write `version` over the characters `seen`, from their first column on."""
    column = 0
    at = 0
    while at < len(version):
        character = version[at]
        move = _MOVE.match(version, at) if character == "\x1b" else None
        if move:
            column = _obey(seen, column, move)
            at = move.end()
            continue
        at += 1
        if character == "\b":
            column = max(0, column - 1)
        elif not _CONTROL.match(character):
            seen.extend(" " * (column - len(seen)))
            seen[column : column + 1] = [character]
            column += 1


def _obey(seen: list[str], column: int, move: re.Match[str]) -> int:
    """Erase or move within the line; gives the new column."""
    first = move[1].split(";", 1)[0]
    count = int(first[:4]) if first else 0
    if move[2] == "K":
        if count == 0:
            del seen[column:]
        elif count == 2:
            del seen[:]
        else:
            seen[:column] = " " * min(column, len(seen))
    elif move[2] == "C":
        column += count or 1
    elif move[2] == "D":
        column = max(0, column - (count or 1))
    elif move[2] == "G":
        column = max(0, count - 1)
    return min(column, _LONGEST_VERSION)
