"""The places in a large log where failures may stand, found without reading the rest as text.

Hyperscan's literal mode looks for all marker words (`markers.txt`) in one pass over the bytes; only the lines around
them are decoded. Memory is bounded: the log is read in blocks, and neighbourhoods are handed over in batches.
"""

from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from kb.failures.lines import as_utf8, decode_line
from kb.failures.tables import rows

if TYPE_CHECKING:
    import hyperscan

MARKERS = Path(__file__).with_name("markers.txt")

_BLOCK = 4 << 20
#: Lines kept before and after a line with a marker: a report's introduction, and the rest of a message.
_BEFORE = 8
_AFTER = 20
#: A batch is handed over when it has so many lines.
_BATCH = 50_000
#: Of a neighbourhood that does not end, so many bytes are held at most; then it is cut at a line.
_MOST_KEPT = 3 * _BLOCK
#: A batch is also handed over when it holds so many bytes.
_BATCH_BYTES = 16 << 20
#: A longer line is cut at its end, or in its middle when carriage returns hide what stands before the end.
_LONGEST_LINE = 1 << 20
#: `tail` and others name the file whose lines follow, however far the next failure is.
_SECTION = b"==> "
_SECTION_END = b" <=="


class Batch(NamedTuple):
    """Some neighbourhoods: raw line numbers with their lines, a blank line of number 0 between neighbourhoods.

    `total` is the number of lines read so far, in the last batch that of the whole log.
    """

    numbers: list[int]
    lines: list[str]
    total: int


def neighbourhoods(stream: BinaryIO) -> Iterator[Batch]:
    """The neighbourhoods of all markers in `stream`, in batches; at least one batch, perhaps an empty one.

    The line `==> file <==` that a neighbourhood belongs to stands before it, wherever it is in the log.
    """
    database = _database()
    batch = Batch([], [], 0)
    section, told, held = (0, b""), 0, 0
    rest, first = b"", 1
    stream = as_utf8(stream)
    while True:
        read = stream.read(_BLOCK)
        data = rest + read
        hits, heads = _hits(database, data)
        windows = _windows(data, hits)
        keep = _keep_from(data, windows) if read else len(data)
        at, number, head = 0, first, 0
        for start, end in windows:
            if start >= keep:
                break
            while head < len(heads) and heads[head] < start:
                number, at = number + data.count(b"\n", at, heads[head]), heads[head]
                section = (number, _line(data, at))
                head += 1
            number, at = number + data.count(b"\n", at, start), start
            if section[0] != told:
                _put(batch, section)
                told = section[0]
            number = _take(batch, data[start : min(end, keep)], number)
            at = min(end, keep)
            passed = head
            head = bisect_left(heads, at, head)
            if head > passed:
                last = heads[head - 1]
                section = (number - data.count(b"\n", last, at), _line(data, last))
                told = section[0]
            held += end - start
            if len(batch.lines) >= _BATCH or held >= _BATCH_BYTES:
                yield batch._replace(total=number - 1)
                batch, told, held = Batch([], [], 0), 0, 0
        inside = [place for place in heads[head:] if place < keep]
        if inside:
            section = (number + data.count(b"\n", at, inside[-1]), _line(data, inside[-1]))
        first = number + data.count(b"\n", at, keep)
        rest = data[keep:]
        if not read:
            ends = 1 if at < len(data) and not data.endswith(b"\n") else 0
            yield batch._replace(total=first - 1 + ends)
            return


def _windows(data: bytes, hits: list[int]) -> list[tuple[int, int]]:
    """The byte spans of the neighbourhoods of `hits` (ascending), whole lines, merged where they meet."""
    windows: list[tuple[int, int]] = []
    start = end = last = -1
    for hit in hits:
        if start >= 0 and hit >= end:
            end = _forward(data, last, _AFTER)
        if start >= 0 and hit < end:
            last = hit
            continue
        if start >= 0:
            windows.append((start, end))
        start, end, last = _back(data, hit, max(end, 0), _BEFORE), hit + 1, hit
    if start >= 0:
        windows.append((start, _forward(data, last, _AFTER)))
    return windows


def _forward(data: bytes, at: int, lines: int) -> int:
    """Where the `lines`-th line after the one that holds `at` ends."""
    for _ in range(lines + 1):
        at = data.find(b"\n", at) + 1
        if not at:
            return len(data)
    return at


def _back(data: bytes, at: int, floor: int, lines: int) -> int:
    """Where the `lines`-th line before the one that holds `at` begins, not before `floor`."""
    for _ in range(lines + 1):
        at = data.rfind(b"\n", floor, at)
        if at < 0:
            return floor
    return at + 1


def _keep_from(data: bytes, windows: list[tuple[int, int]]) -> int:
    """From where `data` must be looked at again with what follows: an open neighbourhood at its end, else its end."""
    if len(data) > _MOST_KEPT:
        return data.rfind(b"\n") + 1 or len(data)
    if windows and windows[-1][1] >= len(data):
        return windows[-1][0]
    return _back(data, len(data), windows[-1][1] if windows else 0, _BEFORE)


def _line(data: bytes, at: int) -> bytes:
    """The line of `data` that begins at `at`."""
    end = data.find(b"\n", at)
    return data[at : end if end >= 0 else len(data)]


def _put(batch: Batch, section: tuple[int, bytes]) -> None:
    """Put the line that names a file into `batch`, between neighbourhoods."""
    batch.numbers.append(section[0])
    batch.lines.append(decode_line(section[1]))


def _take(batch: Batch, text: bytes, number: int) -> int:
    """Put a neighbourhood into `batch`; returns the number of the line after it."""
    if batch.lines:
        batch.numbers.append(0)
        batch.lines.append("")
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    batch.numbers.extend(range(number, number + len(lines)))
    batch.lines.extend(decode_line(line if len(line) <= _LONGEST_LINE else _shortened(line)) for line in lines)
    return number + len(lines)


def _shortened(line: bytes) -> bytes:
    if b"\r" not in line:
        return line[:_LONGEST_LINE]
    return line[: _LONGEST_LINE // 2] + b"\r" + line[-_LONGEST_LINE // 2 :]  # what is to be seen is the end


@cache
def _database() -> "hyperscan.Database":
    from kb.failures.databases import database  # loads Hyperscan, which only large logs need

    # The last word is no marker: what it finds is told apart by its number.
    return database("markers", list(enumerate([*_words(), _SECTION])), literal=True)


@cache
def _words() -> tuple[bytes, ...]:
    return tuple(cells[0].encode() for _, cells in rows(MARKERS, 1))


def _hits(database: "hyperscan.Database", block: bytes) -> tuple[list[int], list[int]]:
    """The end offsets of the markers in `block`, and where lines begin that name a file; both ascending."""
    ends: list[int] = []
    heads: list[int] = []
    add = ends.append
    section = len(_words())

    def matched(word: int, _start: int, end: int, _flags: int, _context: object) -> None:
        if word != section:
            add(end - 1)
        elif _names_file(block, end - len(_SECTION)):
            heads.append(end - len(_SECTION))

    database.scan(block, match_event_handler=matched)
    return ends, heads


def _names_file(block: bytes, start: int) -> bool:
    """Whether a whole line `==> file <==` begins at `start`."""
    if start and block[start - 1] != 10:
        return False
    end = block.find(b"\n", start, start + _LONGEST_LINE)
    return end > 0 and block[start:end].rstrip(b"\r").endswith(_SECTION_END)
