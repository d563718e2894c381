"""What programs say that cannot go on, without a level word: a table of their wordings, and where each counts.

Some words tell a failure wherever they stand. Others are said in passing, too, and count only as the last words of a
log in which nothing else was found: a program that could not start often says one thing only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

from kb.errors import Location, TableError
from kb.expressions import late
from kb.failures.found import Find, spotted
from kb.failures.phrases import is_noise
from kb.failures.streams import Line, Stream
from kb.failures.system_words import system_words
from kb.failures.tables import Choice, rows
from kb.failures.traced import gave_up

TABLE = Path(__file__).with_name("complaints.txt")

#: So many lines that say something are looked at, from the end on.
_LOOKED_AT = 3
_LONGEST = 1000
_WEIGHT = 3
_QUIET = frozenset({"debug", "trace", "info", "warning"})
#: Lines that tell of something mild, or that a person wrote to be read.
_MILD = late(
    r"(?i)\b(?:warn(?:ing)?|info|debug|notice|note|deprecated|hint|tip|skipp(?:ed|ing)|ignor(?:ed|ing)|retry(?:ing)?"
    r"|success\w*|passed|ok|done|optional|if|unless|when|you|your|we|i|my|no errors?|0 errors?)\b|✓|✔|\(attempt \d"
)
#: A list, a table, source: other kinds of text.
_OTHER = late(r"[-*#|+<>•·{\"']|\s{8}|\d{1,6}[.)] |[\w-]{1,40}\s{3,}\S|.*[{};=,]$")


@cache
def _table(where: str) -> tuple[Choice, tuple[str, ...]]:
    """The wordings that count at `where`, and the name of each."""
    entries: list[tuple[int, str]] = []
    names: list[str] = []
    for number, (place, name, pattern) in rows(TABLE, 3):
        if place not in ("anywhere", "end"):
            raise TableError(f"unknown place {place!r}", location=Location(str(TABLE), number), hint="anywhere or end")
        if place == where:
            entries.append((number, pattern))
            names.append(name)
    return Choice(TABLE, entries), tuple(names)


def complaint(text: str, where: str = "anywhere") -> str:
    """The name of the wording that `text` holds and that counts at `where`; "" for none."""
    choice, names = _table(where)
    index = choice.search(text.lower() if where == "end" else text)
    return names[index] if index is not None else ""


def parting_words(streams: Sequence[Stream]) -> Iterator[Find]:
    """The complaint among the last lines of each stream, the first of them; for logs that show no other failure."""
    for stream in streams:
        if (traced := gave_up(stream)) is not None:
            yield traced
            continue
        said = (line for line in reversed(stream) if line.text.strip())
        for line in reversed(list(islice(said, _LOOKED_AT))):
            name = _ended_with(line)
            if name:
                head = _head(stream, line)
                yield spotted("general", "error-line", name, head.text.strip(), head, [head], weight=_WEIGHT)
                break


def _head(stream: Stream, line: Line) -> Line:
    """The complaint that goes on in `line`, which begins with a bracket: programs break long lines to a width."""
    place = next(at for at, one in enumerate(stream) if one is line)
    for at in range(place, max(place - _LOOKED_AT, 0), -1):
        if not stream[at].text.startswith(("(", "<", "[")) or not stream[at - 1].text.strip():
            break
        if _ended_with(stream[at - 1]) or stream[at - 1].text.startswith(("(", "<")):
            line = stream[at - 1]
    return line if _ended_with(line) else stream[place]


def _ended_with(line: Line) -> str:
    text = line.text[:_LONGEST].rstrip()
    if line.level in _QUIET or _OTHER.match(text) or _MILD.search(text) or is_noise(text):
        return ""
    return system_words(text) or complaint(text.strip(), "end")
