"""The file that is imported, read within bounds, and what its formats share: JSON of any depth, and lines of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from kb.errors import InputError, Location
from kb.failures.lines import decode

#: Of a larger file only the beginning is read.
LARGEST = 64 << 20
#: So much of a file is looked at to tell its format.
HEAD = 64 << 10
_ZSTANDARD = b"\x28\xb5\x2f\xfd"


class Losses:
    """What could not be read, counted by kind, with the line where it was met first."""

    def __init__(self) -> None:
        self._met: dict[str, tuple[int, int]] = {}

    def add(self, what: str, line: int = 0, count: int = 1) -> None:
        """Note that `what` was lost, at the 1-based `line` when it has one."""
        before, first = self._met.get(what, (0, line))
        self._met[what] = (before + count, first)

    def told(self) -> tuple[str, ...]:
        """A sentence for each kind."""
        return tuple(
            f"{what} ({count} time{'s' * (count != 1)}{f', first in line {first}' if first else ''})"
            for what, (count, first) in self._met.items()
        )


@dataclass(frozen=True)
class Source:
    """A file to import: where it lies, its bytes (the first `LARGEST`), when it was changed, and how many are left."""

    path: Path
    data: bytes
    modified: datetime
    unread: int = 0

    @property
    def name(self) -> str:
        """The name of the file, without its folder."""
        return self.path.name

    @property
    def head(self) -> bytes:
        """The first bytes, from which a format is told."""
        return self.data[:HEAD]

    @cached_property
    def text(self) -> str:
        """The bytes as text with `\\n` line ends."""
        return decode(self.data).replace("\r\n", "\n").removeprefix("\ufeff")

    def beside(self, *names: str) -> bytes | None:
        """The content of the first file in the same folder that has one of these names, None when there is none."""
        for name in names:
            path = self.path.parent / name
            if path != self.path and path.is_file():
                try:
                    with path.open("rb") as stream:
                        return stream.read(LARGEST)
                except OSError:
                    continue
        return None


def open_source(path: Path) -> Source:
    """The file at `path`; one that Zstandard packed is unpacked. Raises InputError when it cannot be read."""
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
            left = max(0, path.stat().st_size - LARGEST)
        modified = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", location=Location(str(path))) from error
    if data.startswith(_ZSTANDARD):
        data, left = _unpacked(data[:LARGEST])
        path = path.with_suffix("")
    return Source(path, data[:LARGEST], modified, left)


def _unpacked(data: bytes) -> tuple[bytes, int]:
    """What `data` unpacks to, as far as it can be, and 1 when that is not all."""
    import zstandard

    done = bytearray()
    try:
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(data) as stream:
            while len(done) <= LARGEST and (piece := stream.read(1 << 20)):
                done += piece
    except zstandard.ZstdError:
        return bytes(done[:LARGEST]), 1
    return bytes(done[:LARGEST]), int(len(done) > LARGEST)


def read_json(text: str | bytes) -> Any:
    """The JSON in `text`; None for anything else, such as what is cut or nested too deep."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def json_lines(source: Source, losses: Losses) -> Iterator[Mapping[str, Any]]:
    """The objects of a file that has one per line; a line that is none is lost, and counted."""
    for number, line in enumerate(source.data.split(b"\n"), start=1):
        if not line.strip():
            continue
        value = read_json(line.decode("utf-8", "replace"))
        if isinstance(value, dict):
            yield value
        else:
            losses.add("a line that is no JSON object", number)


def first_object(head: bytes) -> Mapping[str, Any]:
    """The object in the first line that is not empty; an empty one when there is none."""
    line = next((one for one in head.split(b"\n") if one.strip()), b"")
    value = read_json(line.decode("utf-8", "replace"))
    return value if isinstance(value, dict) else {}


def part(value: Any, *keys: str | int) -> Any:
    """The part of nested JSON that `keys` lead to, None where there is none."""
    for key in keys:
        if isinstance(key, str):
            value = value.get(key) if isinstance(value, Mapping) else None
        else:
            value = value[key] if isinstance(value, list) and -len(value) <= key < len(value) else None
    return value


def mapping(value: Any, *keys: str | int) -> Mapping[str, Any]:
    """Like `part`, for an object; an empty one where there is none."""
    found = part(value, *keys)
    return found if isinstance(found, Mapping) else {}


def objects(value: Any, *keys: str | int) -> list[Mapping[str, Any]]:
    """Like `part`, for a list of objects; what is no object is left out."""
    found = part(value, *keys)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def text_of(value: Any, *keys: str | int) -> str:
    """Like `part`, for a text; a list of texts (lines that keep their ends, as in notebooks) is joined."""
    found = part(value, *keys)
    if isinstance(found, list):
        return "".join(one for one in found if isinstance(one, str))
    return found if isinstance(found, str) else ""


def number_of(value: Any, *keys: str | int) -> float | None:
    """Like `part`, for a finite number."""
    found = part(value, *keys)
    usable = isinstance(found, int | float) and not isinstance(found, bool) and abs(found) < 1e15
    return float(found) if usable else None


def status_of(value: Any, *keys: str | int) -> int | None:
    """Like `part`, for an exit status; what cannot be one (-1 stands for unknown in several formats) is None."""
    number = number_of(value, *keys)
    return int(number) if number is not None and number == int(number) and 0 <= number < 2**32 else None


def moment(value: Any) -> datetime | None:
    """The time that an ISO text or a number of seconds since 1970 names; one without a zone is UTC."""
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found = datetime.fromtimestamp(value, UTC)
        else:
            return None
        found = found if found.tzinfo else found.replace(tzinfo=UTC)
        return found.astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError, OSError):
        return None
