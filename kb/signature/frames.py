"""Choosing the frames that say where a failure belongs: the program's own, not those of its plumbing."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from kb.errors import Location, TableError
from kb.failures.model import Failure, Frame
from kb.failures.tables import Choice, rows

#: Every target of libFuzzer has this name, so that only its file tells it from others.
_TARGET = "LLVMFuzzerTestOneInput"
IN_APP = Path(__file__).with_name("in_app.txt")


@cache
def _plumbing(group: str) -> tuple[Choice, Choice]:
    files: list[tuple[int, str]] = []
    functions: list[tuple[int, str]] = []
    for number, (language, what, pattern) in rows(IN_APP, 3):
        if what not in ("file", "function") or language not in ("python", "other"):
            raise TableError(
                f"unknown {language!r} {what!r}",
                location=Location(str(IN_APP), number),
                hint="python or other, then file or function",
            )
        if language == group:
            (files if what == "file" else functions).append((number, pattern))
    return Choice(IN_APP, files), Choice(IN_APP, functions)


def own_frames(failure: Failure) -> tuple[Frame, ...]:
    """The frames of the program itself, innermost first.

    When all are plumbing: those of its files that name no function, the file of a fuzzer's target, else all that name
    one, else the innermost.
    """
    inner = _inner(failure)
    outside = _outside(failure)
    placed = tuple(f for f in outside if not f.function and f.line)
    target = tuple(f._replace(function="") for f in outside if f.function == _TARGET and f.line)
    return program_frames(failure) or placed or target or tuple(f for f in inner if f.function) or inner[:1]


def program_frames(failure: Failure) -> tuple[Frame, ...]:
    """The frames of the program itself that name a function, innermost first; none when all are plumbing."""
    group = _group(failure)
    return tuple(f for f in _outside(failure) if f.function and not _plumbing_function(group, f.function))


def _outside(failure: Failure) -> tuple[Frame, ...]:
    """The frames in other files than those of the plumbing, innermost first."""
    group = _group(failure)
    return tuple(f for f in _inner(failure) if not _plumbing_file(group, f.file))


@lru_cache(maxsize=4096)  # the failures of a log share most of their frames
def _plumbing_file(group: str, file: str) -> bool:
    return _plumbing(group)[0].search(file.replace("\\", "/")) is not None


@lru_cache(maxsize=4096)
def _plumbing_function(group: str, function: str) -> bool:
    return _plumbing(group)[1].fullmatch(function)


def _group(failure: Failure) -> str:
    return "python" if failure.language == "python" else "other"


def _inner(failure: Failure) -> tuple[Frame, ...]:
    return tuple(reversed(failure.frames[-200:]))


def own_names(failure: Failure, most: int = 4) -> tuple[str, ...]:
    """The functions of the innermost own frames, as the log prints them."""
    return tuple(dict.fromkeys(f.function for f in own_frames(failure) if f.function))[:most]
