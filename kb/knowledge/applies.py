"""Whether a fix is for the version that a reader has: `applies="vllm>=0.15,<0.16"`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

_NAME = re.compile(r"[A-Za-z][\w.-]*")
_CLAUSE = re.compile(r"\s*(===?|!=|<=|>=|~=|<|>)\s*([\w.+*!-]+)\s*,?")
#: A name with its version near: `vllm 0.15.1`, `torch==2.6.0`, `vLLM API server version 0.15.1`, `cuda-12.4`.
_STATED = (
    r"(?i)(?<![\w.-])NAME(?:[ \t]+(?:\w{1,20}[ \t]+){0,3}?version)?"
    r"[ \t]*(?:[=:]{1,2}|[(@-])?[ \t]*v?(\d{1,5}(?:\.\d{1,9}){1,5}[\w.+-]{0,30})"
)
_NUMBERS = re.compile(r"\d+")


def excluded(applies: str, versions: Mapping[str, str]) -> str:
    """Why a fix that `applies` to some versions is not for these (component -> version); "" when it may be.

    `applies` is one or more components with version clauses, as in Python's requirements; what cannot be read, and
    components whose version is not known, exclude nothing.
    """
    known = {_key(name): version for name, version in versions.items()}
    for name, operator, wanted in _clauses(applies):
        version = known.get(_key(name))
        if version is not None and _holds(version, operator, wanted) is False:
            return f"it is for {name}{operator}{wanted}, this is {name} {version}"
    return ""


def components(applies: str) -> tuple[str, ...]:
    """The components that `applies` names, each once."""
    return tuple(dict.fromkeys(name for name, _, _ in _clauses(applies)))


def versions_in(text: str, names: Iterable[str]) -> dict[str, str]:
    """The first version that `text` states for each of the components `names`: `vllm 0.15.1`, `torch==2.6.0+cu124`."""
    found: dict[str, str] = {}
    for name in names:
        spelled = re.escape(name).replace(r"\-", "[-_]").replace("_", "[-_]")
        stated = re.search(_STATED.replace("NAME", spelled), text)
        if stated:
            found[name] = stated.group(1).rstrip(".-+")
    return found


def _clauses(applies: str) -> Iterator[tuple[str, str, str]]:
    at = 0
    while (name := _NAME.search(applies, at)) is not None:
        at = name.end()
        while (clause := _CLAUSE.match(applies, at)) is not None:
            yield name.group(), clause.group(1), clause.group(2)
            at = clause.end()


def _holds(version: str, operator: str, wanted: str) -> bool | None:
    """Whether `version` satisfies the clause by its numbers alone; None when either has none."""
    has, wants = _release(version), _release(wanted)
    if not has or not wants:
        return None
    if operator in ("==", "===", "!=") and wanted.endswith("*"):
        same = has[: len(wants)] == wants
        return same if operator != "!=" else not same
    length = max(len(has), len(wants))
    padded, target = has + (0,) * (length - len(has)), wants + (0,) * (length - len(wants))
    match operator:
        case "<":
            return padded < target
        case "<=":
            return padded <= target
        case ">":
            return padded > target
        case ">=":
            return padded >= target
        case "!=":
            return padded != target
        case "~=":
            return padded >= target and has[: len(wants) - 1] == wants[:-1]
    return padded == target


def _release(version: str) -> tuple[int, ...]:
    """The numbers before any suffix (`0.15.1rc2+cu124` gives 0, 15, 1)."""
    plain = re.match(r"[vV]?(\d+(?:\.\d+)*)", version)
    return tuple(int(number[:9]) for number in _NUMBERS.findall(plain.group(1))) if plain else ()


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
