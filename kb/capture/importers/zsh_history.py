"""The history of zsh: `: SECONDS:DURATION;command` with EXTENDED_HISTORY; `\\` stands before a newline in a command.

Bytes from 0x83 on that zsh uses itself are written as 0x83 and the byte XOR 0x20 ("metafied").
"""

from __future__ import annotations

import re
from pathlib import Path

from kb.capture.importers.histories import last_sitting
from kb.capture.importers.source import Source, moment
from kb.capture.importers.told import Ran, Story

_EXTENDED = re.compile(rb": (\d{1,11}):(\d{1,9});", re.DOTALL)
_META = re.compile(rb"\x83(.)", re.DOTALL)


def knows(path: Path, head: bytes) -> bool:
    """By its name, or by a first line of the extended form."""
    return path.name.lstrip(".") in ("zsh_history", "zhistory") or bool(_EXTENDED.match(head))


def read(source: Source) -> Story:
    """The commands of the last sitting."""
    entries: list[Ran] = []
    going_on = False
    for raw in source.data.split(b"\n"):
        line = _META.sub(lambda found: bytes([found[1][0] ^ 0x20]), raw)
        more = line.endswith(b"\\")
        begun = None if going_on else _EXTENDED.match(line)
        text = (line[begun.end() :] if begun else line).decode("utf-8", "replace")
        text = text[:-1] if more else text
        if going_on:
            entries[-1] = entries[-1]._replace(command=f"{entries[-1].command}\n{text}")
        else:
            seconds = float(begun[2]) if begun and int(begun[2]) else None
            entries.append(Ran(text, seconds=seconds, started=moment(int(begun[1])) if begun else None))
        going_on = more
    return last_sitting(entries)
