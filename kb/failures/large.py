"""Logs too large to be read whole: only the neighbourhoods of marker words are, with bounded memory."""

from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from kb.failures.find import Found, conclude, read_lines
from kb.failures.found import Find
from kb.failures.lines import decode, raw_lines
from kb.failures.many import Told, seen_often, tied, without_digits

if TYPE_CHECKING:
    from kb.failures.places import Batch

#: Logs of more bytes than this are read by neighbourhoods.
LARGE = 16 << 20
#: So are logs of more lines: each line that is held costs some hundred bytes, an empty one too.
MANY_LINES = 200_000
_HEADER = "Traceback (most recent call last)"
#: Lines around failures that are kept for excerpts.
_KEPT_LINES = 100_000


class Sparse(Sequence[str]):
    """The lines of a log of which only some were kept; the others are empty."""

    def __init__(self, kept: dict[int, str], total: int) -> None:
        self._kept = kept
        self._total = total

    def __len__(self) -> int:
        return self._total

    def __getitem__(self, place):  # type: ignore[no-untyped-def]
        if isinstance(place, slice):
            return [self._kept.get(at + 1, "") for at in range(*place.indices(self._total))]
        return self._kept.get(place + 1 if place >= 0 else self._total + place + 1, "")


class Read(NamedTuple):
    """The failures of a log, and its lines: all, or of a large log those that were kept."""

    found: Found
    lines: Sequence[str]


def find_in(data: bytes | BinaryIO) -> Read:
    """The failures of a log: bytes are read whole, a stream and what has very many lines by neighbourhoods."""
    if isinstance(data, bytes) and data.count(b"\n") > MANY_LINES:
        return find_in_stream(BytesIO(data))
    if isinstance(data, bytes):
        raw = raw_lines(decode(data))
        return Read(conclude(read_lines(raw), lambda number: raw[number - 1], len(raw)), raw)
    return find_in_stream(data)


def find_in_stream(stream: BinaryIO) -> Read:
    """The failures of the log that `stream` yields from its position on. Never raises for its content."""
    from kb.failures.places import neighbourhoods  # most logs are not large, and start-up counts

    finds: list[Find] = []
    kept: dict[int, str] = {}
    told = Told()
    total = 0
    blocks: Counter[int] = Counter()
    for whole in neighbourhoods(stream):
        total = whole.total
        batch = _thinned(whole, blocks)
        for find in read_lines(batch.lines):
            if told.takes(find):
                _keep(find, batch, kept)
                finds.append(_numbered(find, batch.numbers))
    finds = tied(finds)
    finds.sort(key=lambda f: (f.at.number, f.first))
    return Read(conclude(finds, lambda number: kept.get(number, ""), total), Sparse(kept, total))


def _thinned(batch: "Batch", blocks: Counter[int]) -> "Batch":
    """`batch` without the reports that were seen often enough, digits apart: a log of one crash repeated for hours."""
    numbers: list[int] = []
    lines: list[str] = []
    start = 0
    for at in [*(i for i, line in enumerate(batch.lines) if i and _HEADER in line), len(batch.lines)]:
        block = hash(without_digits("\n".join(batch.lines[start:at])))
        blocks[block] += 1
        if not seen_often(blocks[block]):
            numbers += batch.numbers[start:at]
            lines += batch.lines[start:at]
        start = at
    return batch._replace(numbers=numbers, lines=lines)


def _keep(find: Find, batch: "Batch", kept: dict[int, str]) -> None:
    """Keep the lines of `find` (still numbered within the batch) and a few before it."""
    for local in {
        find.at.number,
        *find.lines,
        *range(max(1, find.first - 10), min(find.first + 5, len(batch.lines)) + 1),
    }:
        if len(kept) < _KEPT_LINES or local == find.at.number:
            kept[batch.numbers[local - 1]] = batch.lines[local - 1]


def _numbered(find: Find, numbers: Sequence[int]) -> Find:
    """`find` with the numbers that its lines have in the whole log."""
    find.at = find.at._replace(number=numbers[find.at.number - 1])
    find.first, find.last = numbers[find.first - 1], numbers[find.last - 1]
    find.lines = {numbers[local - 1] for local in find.lines}
    return find
