"""The session records and the decisions of a knowledge base as files, without reading what is in them."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from kb.errors import InputError, Location
from kb.home import LEADS_OUT, Home, leads_out

#: As kb.record.folder has it, which cannot be imported here: it loads the reader of records. A test compares the two.
_NO_RECORDS = frozenset({"README.md"})

#: As kb.record.decision_file has it, for the same reason.
_DECISION = ".yaml"

#: Well above the limit of a record: what is longer is refused by the reader after so many bytes.
_MOST = 1 << 20


class Stat(NamedTuple):
    """Size in bytes and time of the last change in nanoseconds."""

    size: int
    mtime: int


def listing(home: Home) -> dict[str, Stat]:
    """The session records and the decisions of `home`, by their path below its root, those of a folder sorted."""
    found: dict[str, Stat] = {}
    for folder, name, suffix in _folders(home):
        found |= {f"{name}/{file}": stat for file, stat in _files(folder, suffix)}
    return found


def _folders(home: Home) -> Iterator[tuple[Path, str, str]]:
    """Each folder, its path below the root, and how the names of its files end."""
    for folder, suffix in ((home.decisions, _DECISION), (home.sessions, ".md")):
        if folder.is_symlink() and leads_out(home, folder):
            raise InputError(LEADS_OUT, location=Location(str(folder)))
        yield folder, folder.relative_to(home.root).as_posix(), suffix


def looks(home: Home) -> frozenset[str]:
    """A line for each entry of the folders of `home`, also of one that is no record: `path/size/time`, as in `Stat`.

    There may be tens of thousands of files, and this is asked on every call. So it is one expression, in which looking
    at the files takes most of the time; what the lines that differ from those of the index are is asked of these alone.
    """
    found: set[str] = set()
    for folder, start, _ in _folders(home):
        try:
            with _opened(folder) as entries:
                found |= {f"{start}/{e.name}/{(s := e.stat()).st_size}/{s.st_mtime_ns}" for e in entries}
        except OSError:  # of the folder, or of a file that went meanwhile or is a link that leads nowhere
            found |= {f"{start}/{name}/{stat.size}/{stat.mtime}" for name, stat in _files(folder, "")}
    return frozenset(found)


def records(home: Home, lines: Iterable[str]) -> dict[str, Stat]:
    """What `listing` gives of the files that lines of `looks` are about."""
    suffixes = {name: suffix for _, name, suffix in _folders(home)}
    found: dict[str, Stat] = {}
    for line in lines:
        path, size, mtime = line.rsplit("/", 2)
        folder, _, name = path.rpartition("/")
        if _is_record(name, suffixes[folder]) and os.path.isfile(home.root / path):
            found[path] = Stat(int(size), int(mtime))
    return dict(sorted(found.items(), key=lambda one: (not is_decision(one[0]), one[0])))


def stats_of(home: Home, paths: Iterable[str]) -> dict[str, Stat]:
    """What `listing` gives of some of its files; of those that are still there."""
    found: dict[str, Stat] = {}
    for path in paths:
        with suppress(OSError):
            stat = os.stat(home.root / path)
            found[path] = Stat(stat.st_size, stat.st_mtime_ns)
    return found


def decisions(home: Home) -> dict[str, Stat]:
    """Those of the listing that are decisions."""
    (folder, name, suffix), _ = _folders(home)
    return {f"{name}/{file}": stat for file, stat in _files(folder, suffix)}


def is_decision(path: str) -> bool:
    """Whether a path of the listing is that of a decision."""
    return path.endswith(_DECISION)


def read_hashed(home: Home, path: str) -> tuple[bytes, bytes]:
    """The bytes of a file of the listing and their sha256; of one far too long, only the first bytes.

    Raises InputError when it cannot be read, or is a link that leads out of `home`.
    """
    import hashlib  # loads OpenSSL; files are looked into only when they changed

    if leads_out(home, home.root / path):
        raise InputError(LEADS_OUT, location=Location(path))
    try:
        with (home.root / path).open("rb") as stream:
            data = stream.read(_MOST)
            digest = hashlib.sha256(data)
            while more := stream.read(_MOST):
                digest.update(more)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", location=Location(path)) from error
    return data, digest.digest()


def _files(folder: Path, suffix: str) -> Iterator[tuple[str, Stat]]:
    """Name and stat of every file of the folder, sorted."""
    try:
        with _opened(folder) as entries:
            found = sorted(_looked_at(entries, suffix))
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"cannot read the folder: {error.strerror}", location=Location(str(folder))) from error
    yield from found


@contextmanager
def _opened(folder: Path) -> Iterator[Iterable[os.DirEntry[str]]]:
    """The entries of a folder, whose names are resolved within it, where the system allows that."""
    if os.scandir not in os.supports_fd:
        with os.scandir(folder) as entries:
            yield entries
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with os.scandir(handle) as entries:
            yield entries
    finally:
        os.close(handle)


def _looked_at(entries: Iterable[os.DirEntry[str]], suffix: str) -> Iterator[tuple[str, Stat]]:
    for entry in entries:
        try:
            if _is_record(entry.name, suffix) and entry.is_file():
                stat = entry.stat()
                yield entry.name, Stat(stat.st_size, stat.st_mtime_ns)
        except FileNotFoundError:  # it went after the folder was read
            continue
        except OSError:
            if not entry.is_symlink():  # one that leads nowhere, to itself perhaps, is no record
                raise


def _is_record(name: str, suffix: str) -> bool:
    return name.endswith(suffix) and name[0] != "." and name not in _NO_RECORDS and _is_text(name)


def _is_text(name: str) -> bool:
    """Whether a name can be stored. A record that has no such name has an id of another name: `kb check` says so."""
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)
