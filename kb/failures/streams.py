"""Taking a log apart: each process writes its own stream, and a log holds several at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kb.failures.collisions import Collisions, label_of
from kb.failures.json_lines import unfold
from kb.failures.prefixes import peel


class Line(NamedTuple):
    """One line of a stream: its raw 1-based number, its own text, and what its prefixes said.

    A line without a process label of its own carries that of the record it continues.
    """

    number: int
    text: str
    process: str
    level: str
    time: str
    record: bool
    labelled: bool


Stream = list[Line]


def split_streams(lines: Sequence[str]) -> list[Stream]:
    """The streams of the clean lines, in the order of their first line; lines without a label form one of their own."""
    streams: dict[str, Stream] = {}
    said: dict[str, tuple[str, str]] = {}
    collisions = Collisions()
    for number, text in enumerate(lines, 1):
        for part in unfold(text):
            peeled = peel(part)
            key = collisions.owner(peeled.key, peeled.record)
            process, time = peeled.process, peeled.time
            if key != peeled.key:
                process = label_of(key)
            if peeled.record or peeled.level:
                said[key] = (process, time)
            elif key in said:
                process = process or said[key][0]
                time = time or said[key][1]
            stream = streams.get(key)
            if stream is None:
                stream = streams[key] = []
            stream.append(Line(number, peeled.text, process, peeled.level, time, peeled.record, bool(key)))
    return list(streams.values())
