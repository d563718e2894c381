"""Dropping a session, and bringing it back: nothing is deleted."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from kb.capture.current import Current, forget
from kb.capture.journal import Journal
from kb.errors import Location, WriteError
from kb.home import Home


def drop(current: Current) -> Path:
    """Take a session out of the knowledge base: its record, and the files beside it, go to the folder returned."""
    when = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    folder = _folder(current.home) / f"{current.id}@{when}"
    try:
        folder.mkdir(parents=True)
        for path in (current.beside, Journal(current.home, current.id).path, current.record):
            if path.exists():
                path.replace(folder / path.name)
    except OSError as error:
        raise WriteError(f"cannot be kept: {error.strerror}", location=Location(str(folder))) from error
    forget(current.home, current.id)
    return folder


def dropped(home: Home) -> list[str]:
    """The ids of the sessions that can be brought back."""
    return sorted({path.name.rpartition("@")[0] for path in _folder(home).glob("*@*") if path.is_dir()})


def bring_back(home: Home, id_: str) -> bool:
    """Put the session `id_` back where it was, as it was dropped last; False when it was not dropped, or is there."""
    found = sorted(_folder(home).glob(f"{id_}@*"))
    record = home.sessions / f"{id_}.md"
    if record.exists() or not found:
        return False
    folder = found[-1]
    try:
        for path, place in (
            (folder / id_, home.sessions / id_),
            (folder / f"{id_}.jsonl", Journal(home, id_).path),
            (folder / record.name, record),
        ):
            if path.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                path.replace(place)
        folder.rmdir()
    except OSError as error:
        raise WriteError(f"cannot be brought back: {error.strerror}", location=Location(str(folder))) from error
    return True


def _folder(home: Home) -> Path:
    return home.root / ".kb" / "dropped"
