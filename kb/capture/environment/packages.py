"""The versions of the Python packages that a traceback names, read from where it says they lie."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from kb.capture.environment.collectors import version_of_environment

#: A file of an installed package, as tracebacks print it.
_INSTALLED = re.compile(r"/(?:site|dist)-packages/([A-Za-z_]\w{0,60})[/.]")
_APART = re.compile(r"[\s\"'<>|]")
_LONGEST_FOLDER = 300
#: The user part of a home folder, once it was taken out.
_USER = re.compile(r"/(?:home|Users)/<user:\d+>|/<user:\d+>")
_PYTHON = re.compile(r"/python(3\.\d+)/(?:site|dist)-packages")
_MOST = 12
_DIST = re.compile(r"(.+?)-(\d[^-]*)\.(?:dist|egg)-info")


def versions_named(text: str) -> Mapping[str, str]:
    """The version of each package whose files `text` names, and of their Python: name -> version.

    Only what lies on this machine is found. Home folders may be redacted: those of this user are meant.
    """
    found: dict[str, str] = {}
    text = _USER.sub(str(Path.home()).replace("\\", "/"), text)
    for match in _INSTALLED.finditer(text):
        module = match[1]
        before = text[max(0, match.start() - _LONGEST_FOLDER) : match.start(1) - 1]
        folder = _APART.split(before)[-1]
        version = _versions(folder).get(_key(module))
        if version is None or (module not in found and len(found) >= _MOST):
            continue
        found[version[0]] = version[1]
        python = _python_of(folder)
        if python:
            found.setdefault("python", python)
    return found


@cache
def _versions(folder: str) -> Mapping[str, tuple[str, str]]:
    """By the name of each module in `folder`: the distribution it belongs to, and its version."""
    found: dict[str, tuple[str, str]] = {}
    for info, name, version in _distributions(Path(folder)):
        for module in (name, *_modules(info)):
            found.setdefault(_key(module), (name, version))
    return found


def _distributions(folder: Path) -> Iterator[tuple[Path, str, str]]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for info in entries:
        match = _DIST.fullmatch(info.name)
        if match:
            yield info, match[1].lower().replace("_", "-"), match[2]


def _modules(info: Path) -> list[str]:
    """The modules of a distribution, where it lists them."""
    try:
        return (info / "top_level.txt").read_text("utf-8").split()[:50]
    except (OSError, UnicodeDecodeError):
        return []


def _python_of(folder: str) -> str:
    """The version of the Python that `folder` belongs to: of its environment, else as its path says."""
    path = _PYTHON.search(f"{folder}/")
    exact = version_of_environment(Path(folder).parent.parent.parent)
    return exact or (path[1] if path else "")


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()
