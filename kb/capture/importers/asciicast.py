"""asciinema recordings: asciicast version 2 (absolute times) and version 3 (intervals, an event for the exit status).

Format: https://docs.asciinema.org/manual/asciicast/. A header line, then one JSON array per event; only output (`o`)
is text, `x` is the exit status, and lines that begin with # are comments.
"""

from __future__ import annotations

from pathlib import Path

from kb.capture.importers.source import Losses, Source, first_object, moment, number_of, part, read_json, text_of
from kb.capture.importers.terminal import Recorded, commands_of
from kb.capture.importers.told import Story

_LONGEST = 1e9


def knows(_path: Path, head: bytes) -> bool:
    """Whether the first line is the header of a recording."""
    header = first_object(head)
    return header.get("version") in (2, 3) and ("width" in header or "term" in header)


def read(source: Source) -> Story:
    """The commands of the recording: the one that was named when it was made, else those of its shell."""
    losses = Losses()
    header = first_object(source.head)
    data = bytearray()
    times: list[tuple[int, float]] = []
    exit_: int | None = None
    now = 0.0
    for number, line in enumerate(source.data.split(b"\n")[1:], start=2):
        if not line.strip() or line.startswith(b"#"):
            continue
        event = read_json(line.decode("utf-8", "replace"))
        delay = number_of(event, 0)
        if delay is None or not isinstance(part(event, 1), str):
            losses.add("an event that is none", number)
            continue
        now = min(now + max(delay, 0.0), _LONGEST) if header.get("version") == 3 else max(now, min(delay, _LONGEST))
        text = text_of(event, 2)
        if event[1] == "o":
            times.append((len(data), now))
            data += text.encode("utf-8", "replace")
        elif event[1] == "x" and text.strip().isdigit():
            exit_ = int(text) % 2**31
    started = moment(header.get("timestamp"))
    recorded = Recorded(bytes(data), times, started)
    found = commands_of(recorded, source.name, text_of(header, "command"), exit_)
    return Story(
        found.events, title=text_of(header, "title"), started=started, lost=losses.told(), unknown=found.unknown
    )
