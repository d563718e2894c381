"""Typescripts of util-linux' `script`, with the timing file where it lies beside them.

The first line names the start and the command, the last one the exit status. Timing files are of two forms: `delta
bytes` (classic), and `O delta bytes` with `H delta NAME VALUE` lines (advanced).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from kb.capture.importers.source import Source
from kb.capture.importers.terminal import Recorded, commands_of
from kb.capture.importers.told import Story

_START = re.compile(rb"Script started on (\S+ \S+)([^\n]*)\n")
_END = re.compile(rb"\r?\nScript done on (\S+ \S+)([^\n]*)\n?\Z")
_COMMAND = re.compile(rb'COMMAND="(.*?)"(?= [A-Z_]+="| <|\])')
_EXIT = re.compile(rb'COMMAND_EXIT_CODE="(\d{1,9})"')
_TIMING = re.compile(rb"(?:([HIOS]) )?(\d{1,9}(?:\.\d{1,9})?) (.*)")


def knows(_path: Path, head: bytes) -> bool:
    """Whether `script` began the file."""
    return head.startswith(b"Script started on ")


def read(source: Source) -> Story:
    """The commands of the typescript; with a timing file, also how long each took."""
    start, end = _START.match(source.data), _END.search(source.data[-4096:])
    begin = start.end() if start else 0
    stop = max(begin, len(source.data) - (len(end[0]) if end else 0))
    timing = source.beside(*_names(source.path))
    times, told = _times(timing) if timing is not None else ([], {})
    started = _moment(start[1] if start else b"") or _moment(told.get("START_TIME", b""))
    recorded = Recorded(source.data[begin:stop], times, started)
    command = _COMMAND.search(start[2]) if start else None
    status = _EXIT.search(end[2]) if end else None
    code = status[1] if status else told.get("EXIT_CODE", b"")
    exit_ = int(code) % 2**31 if code.isdigit() else None
    name = command[1].decode("utf-8", "replace") if command else told.get("COMMAND", b"").decode("utf-8", "replace")
    lost = [] if start else ["the first line of the typescript, which says when it began"]
    lost += [] if end else ["the end of the typescript (it does not say that it is done)"]
    found = commands_of(recorded, source.name, name, exit_)
    ended = _moment(end[1]) if end else None
    return Story(found.events, started=started, ended=ended, lost=tuple(lost), unknown=found.unknown)


def _names(path: Path) -> tuple[str, ...]:
    """What the timing file of a typescript is called by those who make one."""
    endings = ("timing", "tm", "time", "times")
    own = [f"{stem}{mark}{ending}" for stem in (path.name, path.stem) for mark in ".-_" for ending in endings]
    return (*own, "timing", "timingfile", "timing.log", "timing.txt")


def _times(data: bytes) -> tuple[list[tuple[int, float]], dict[str, bytes]]:
    """The seconds at which offsets of the output were reached, and what the timing file says besides."""
    times: list[tuple[int, float]] = []
    told: dict[str, bytes] = {}
    offset, now = 0, 0.0
    for line in data.split(b"\n"):
        found = _TIMING.fullmatch(line)
        if not found:
            continue
        kind, rest = found[1] or b"O", found[3]
        now = min(now + float(found[2]), 1e9)
        if kind == b"O" and rest.isdigit() and len(rest) < 12:
            times.append((offset, now))
            offset += int(rest)
        elif kind == b"H":
            key, _, value = rest.partition(b" ")
            told[key.decode("ascii", "replace")] = value.strip()
    return times, told


def _moment(text: bytes) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.decode("ascii", "replace").strip())
        return found.astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        return None
