"""The versions that a log states, and how versions compare.

Shapes that programs print are a table (versions.txt); any other component is found where its name stands before a
version.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

from kb.errors import Location, TableError
from kb.expressions import late
from kb.failures.tables import needle, rows

VERSIONS = Path(__file__).with_name("versions.txt")

#: A name with its version near: `vllm 0.15.1`, `torch==2.6.0`, `vLLM API server version 0.15.1`, `cuda-12.4`.
_STATED = (
    r"(?i)(?<![\w.-])NAME(?:[ \t]+(?:\w{1,20}[ \t]+){0,3}?version)?"
    r"[ \t]*(?:[=:]{1,2}|[(@-])?[ \t]*v?(\d{1,5}(?:\.\d{1,9}){1,5}[\w.+-]{0,30})"
)
_NUMBERS = late(r"\d+")
_RELEASE = late(r"[vV]?(\d+(?:\.\d+)*)")
#: `cu128` in a build of PyTorch is CUDA 12.8.
_JOINED = late(r"\d{3}")


@cache
def _shapes() -> Mapping[str, tuple[tuple[str, str, int], ...]]:
    """Component -> its shapes: plain text that a line of each must hold ("" when none is sure), expression and line."""
    found: dict[str, tuple[tuple[str, str, int], ...]] = {}
    for number, (name, pattern) in rows(VERSIONS, 2):
        plain = "" if pattern.startswith("(?i)") else needle(pattern)
        found[name] = (*found.get(name, ()), (plain, pattern, number))
    return found


@cache
def _compiled(pattern: str, number: int) -> re.Pattern[str]:
    """A shape, compiled when a text first holds its plain text: compiling all costs more than most answers."""
    location = Location(str(VERSIONS), number)
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise TableError(f"not an expression: {error}", location=location) from error
    if compiled.groups != 1:
        raise TableError(f"{compiled.groups} groups, not one", location=location)
    return compiled


def check() -> None:
    """Compile every shape; the first that cannot be used is an error with its line."""
    for shapes in _shapes().values():
        for _, pattern, number in shapes:
            _compiled(pattern, number)


def versions_in(text: str, names: Iterable[str]) -> dict[str, str]:
    """The first version that `text` states for each of the components `names`: `vllm 0.15.1`, `torch==2.6.0+cu124`."""
    found: dict[str, str] = {}
    for name in names:
        version = _by_shape(text, key(name)) or _by_name(text, name)
        if version:
            found[name] = version
    return found


def _by_shape(text: str, name: str) -> str:
    for plain, pattern, number in _shapes().get(name, ()):
        stated = _compiled(pattern, number).search(text) if plain in text else None
        if stated:
            version = stated.group(1).rstrip(".-+")
            return f"{version[:2]}.{version[2]}" if _JOINED.fullmatch(version) else version
    return ""


def _by_name(text: str, name: str) -> str:
    spelled = "[-_.]".join(map(re.escape, key(name).split("-")))
    stated = re.search(_STATED.replace("NAME", spelled), text)
    return stated.group(1).rstrip(".-+") if stated else ""


@lru_cache(maxsize=8192)
@lru_cache(maxsize=8192)
def key(name: str) -> str:
    """A component's name as pip compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@lru_cache(maxsize=8192)
def release(version: str) -> tuple[int, ...]:
    """The numbers before any suffix (`0.15.1rc2+cu124` gives 0, 15, 1); none when it begins with no number."""
    plain = _RELEASE.match(version)
    return tuple(int(number[:9]) for number in _NUMBERS.findall(plain.group(1))) if plain else ()


def newest(versions: Iterable[str]) -> str:
    """The highest of some versions by their numbers; "" when none has any."""
    return max((one for one in versions if release(one)), key=release, default="")
