"""JSON that an export spread over many lines, one field a line: `gcloud logging read`, `aws logs`, `jq .`.

Each object of the outermost list (or each of several that follow one another) is one record of the log.
"""

import json
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

_LOOKED_AT = 10
#: An object of more lines or characters is data, not a record.
_MOST_LINES = 2_000
_LONGEST = 1 << 20
#: The fields whose line stands for the record, where people look for its words.
_WORDS = ('"textPayload": "', '"message": "', '"msg": "', '"log": "', '"stack_trace": "', '"MESSAGE": "', '"event": "')
#: What the exports of a whole log call their list.
_LISTS = ('"events": [', '"entries": [', '"logs": [', '"records": [', '"items": [', '"hits": [')


class Spread(NamedTuple):
    """A record put into one line of JSON, and the raw number of the line that stands for it."""

    text: str
    number: int


def looks_spread(lines: Sequence[str]) -> bool:
    """Whether the log may be such an export: it begins with a bracket on a line of its own, then a field."""
    first = [line.strip() for line in islice((line for line in lines if line.strip()), _LOOKED_AT)]
    opened = [text for text in first if text not in ("[", "{", *_LISTS)]
    return len(first) > 2 and first[0] in ("[", "{") and bool(opened) and opened[0].startswith('"')


def records(lines: Sequence[str]) -> dict[int, Spread | None]:
    """The records by the raw number of one of their lines; their other lines, and those of the list, give None."""
    found: dict[int, Spread | None] = {}
    start, indent = 0, ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not start:
            if text == "{" and not _holds_list(lines, number):
                start, indent = number, line[: len(line) - len(line.lstrip())]
            elif text in ("[", "]", "],", "{", "}", "", *_LISTS):
                found[number] = None
            continue
        if number - start > _MOST_LINES:
            start = 0
        elif text in ("}", "},") and line.startswith(indent + "}"):
            _close(lines, start, number, found)
            start = 0
    return found


def _holds_list(lines: Sequence[str], number: int) -> bool:
    return number < len(lines) and lines[number].strip() in _LISTS


def _close(lines: Sequence[str], start: int, end: int, found: dict[int, Spread | None]) -> None:
    """Enters the object that stands from `start` to `end`, when it is one."""
    block = lines[start - 1 : end]
    if sum(map(len, block)) > _LONGEST:
        return
    try:
        record = json.loads("\n".join(block).rstrip().removesuffix(","))
    except (ValueError, RecursionError):
        return
    found.update(dict.fromkeys(range(start, end + 1)))
    stands = next((start + at for at, line in enumerate(block) if line.lstrip().startswith(_WORDS)), start)
    found[stands] = Spread(json.dumps(record), stands)
