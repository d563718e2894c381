"""The folder of session records: which files it has, and what can only be told from all of them together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kb.errors import InputError, Location
from kb.home import LEADS_OUT, Home, leads_out
from kb.record.problems import Problems
from kb.record.reader import Reading, read_below, read_session
from kb.record.sections import Sections
from kb.record.writer import SIZE_LIMIT

_NO_RECORDS = frozenset({"README.md"})


def session_files(home: Home) -> list[Path]:
    """The record files of `home`, sorted by name: the `.md` files that lie directly in its sessions folder.

    Hidden files and a README are none; what lies in folders beside the records belongs to them. Links that lead out of
    the knowledge base are listed: who reads a file must look, as `read_own` does. Raises InputError when the folder is
    one.
    """
    if leads_out(home, home.sessions):
        raise InputError(LEADS_OUT, location=Location(str(home.sessions)))
    found = home.sessions.glob("*.md")
    return sorted(p for p in found if p.is_file() and not p.name.startswith(".") and p.name not in _NO_RECORDS)


def read_own(home: Home, path: Path, name: str) -> Reading:
    """Like `read_file`, for a record of `home`: a link that leads out of it is a problem, and not followed."""
    if leads_out(home, path):
        problems = Problems(name)
        problems.add(0, "unreadable", LEADS_OUT)
        return Reading(None, problems.sorted())
    return read_file(path, name)


def read_own_below(home: Home, path: Path) -> Sections | None:
    """What stands below the front matter of a record of `home`; None when it cannot be read, or leads out of it."""
    if leads_out(home, path):
        return None
    try:
        data = _content(path)
    except OSError:
        return None
    return read_below(data.decode("utf-8", errors="replace")) if len(data) <= SIZE_LIMIT else None


def _content(path: Path) -> bytes:
    """The content of a file, as far as a record may go and a byte more."""
    with path.open("rb") as stream:
        return stream.read(SIZE_LIMIT + 1)


def read_folder(home: Home) -> Iterator[tuple[Path, Reading]]:
    """Every record file of `home` with its reading, whose problems name the file as seen from the home folder.

    An id that an earlier file has already is a problem of the later one.
    """
    first: dict[str, str] = {}
    for path in session_files(home):
        name = path.relative_to(home.root).as_posix()
        reading = read_own(home, path, name)
        if reading.session is not None:
            other = first.setdefault(reading.session.id, name)
            if other != name:
                problems = Problems(name)
                message = f"the id {reading.session.id} is also that of {other}"
                line = _id_line(path.read_text("utf-8", errors="replace"))
                problems.add(line, "duplicate-id", message, "each record has an id of its own")
                reading = Reading(reading.session, problems.sorted() + reading.problems)
        yield path, reading


def read_file(path: Path, name: str) -> Reading:
    """The reading of one record file; `name` is the file's name in problems. An unreadable file is a problem too."""
    try:
        data = _content(path)
    except OSError as error:
        problems = Problems(name)
        problems.add(0, "unreadable", f"cannot be read: {error.strerror}")
        return Reading(None, problems.sorted())
    return read_bytes(data, name)


def read_bytes(data: bytes, name: str) -> Reading:
    """The reading of a record file's content, whose id must be the stem of `name`, the file's name in problems."""
    problems = Problems(name)
    if len(data) > SIZE_LIMIT:
        hint = "keep excerpts in the record and the whole log beside it"
        problems.add(0, "too-large", f"larger than the {SIZE_LIMIT // 1024} KiB of a record, and not read", hint)
        return Reading(None, problems.sorted())
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8: the byte {data[error.start]:#04x}, and maybe more"
        problems.add(line, "not-utf8", message, "save the file as UTF-8")
        text = data.decode("utf-8", errors="replace")
    session, found = read_session(text, name)
    stem = Path(name).stem
    if session is not None and session.id != stem:
        message = f"the id is {session.id}, the file is named {stem}"
        problems.add(_id_line(text), "file-name", message, f"name the file {session.id}.md")
    return Reading(session, tuple(sorted(problems.sorted() + found, key=lambda problem: problem.location.line)))


def _id_line(text: str) -> int:
    lines = enumerate(text.split("\n"), start=1)
    return next((number for number, line in lines if line.startswith("id:")), 1)
