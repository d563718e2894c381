"""Whether a fix is for the version that a reader has: `applies="vllm>=0.15,<0.16"`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kb.expressions import late
from kb.knowledge.versions import key, release

_NAME = late(r"[A-Za-z][\w.-]*")
_PLAIN = late(r"[vV]?\d+(?:\.\d+)*")
_CLAUSE = late(r"\s*(===?|!=|<=|>=|~=|<|>)\s*([\w.+*!-]+)\s*,?")


def excluded(applies: str, versions: Mapping[str, str]) -> str:
    """Why a fix that `applies` to some versions is not for these (component -> version); "" when it may be.

    `applies` is one or more components with version clauses, as in Python's requirements; what cannot be read, and
    components whose version is not known, exclude nothing.
    """
    known = {key(name): version for name, version in versions.items()}
    for name, operator, wanted in _clauses(applies):
        version = known.get(key(name))
        if version is not None and _holds(version, operator, wanted) is False:
            return f"it is for {name}{operator}{wanted}, this is {name} {version}"
    return ""


def components(applies: str) -> tuple[str, ...]:
    """The components that `applies` names, each once."""
    return tuple(dict.fromkeys(name for name, _, _ in _clauses(applies)))


def _clauses(applies: str) -> Iterator[tuple[str, str, str]]:
    at = 0
    while (name := _NAME.search(applies, at)) is not None:
        at = name.end()
        while (clause := _CLAUSE.match(applies, at)) is not None:
            yield name.group(), clause.group(1), clause.group(2)
            at = clause.end()


def _holds(version: str, operator: str, wanted: str) -> bool | None:
    """Whether `version` satisfies the clause; None when either is no version.

    Plain numbers are compared here; what has a suffix (`0.16.0rc1`, `2.9.0.dev20250801`) as Python's packaging has it,
    and where that knows no such version, by the numbers before the suffix.
    """
    if not _PLAIN.fullmatch(version) or operator == "===":
        exact = _by_packaging(version, operator, wanted)
        if exact is not None:
            return exact
    has, wants = release(version), release(wanted)
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


def _by_packaging(version: str, operator: str, wanted: str) -> bool | None:
    """What Python's packaging says of the clause; None for versions of other kinds."""
    # Imported now: it costs more than the rest of triage's start, and few versions need it.
    from packaging.specifiers import InvalidSpecifier, Specifier
    from packaging.version import InvalidVersion, Version

    try:
        return Specifier(f"{operator}{wanted}").contains(Version(version), prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return None
