"""The history of fish: `- cmd: …` with `  when: SECONDS` below. It looks like YAML and is none."""

from __future__ import annotations

import re
from pathlib import Path

from kb.capture.importers.histories import last_sitting
from kb.capture.importers.source import Source, moment
from kb.capture.importers.told import Ran, Story

_ESCAPE = re.compile(r"\\(n|\\)")
_WHEN = re.compile(r"  when: (\d{1,11})")


def knows(path: Path, head: bytes) -> bool:
    """By its name, or by its first line."""
    return path.name.endswith("fish_history") or head.startswith(b"- cmd: ")


def read(source: Source) -> Story:
    """The commands of the last sitting."""
    entries: list[Ran] = []
    for line in source.text.split("\n"):
        when = _WHEN.fullmatch(line)
        if line.startswith("- cmd: "):
            command = _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else "\\", line[7:])
            entries.append(Ran(command))
        elif when and entries:
            entries[-1] = entries[-1]._replace(started=moment(int(when[1])))
    return last_sitting(entries)
