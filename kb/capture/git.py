"""What git says of a working tree, without running any program that the repository itself names.

A repository can come from anywhere, its `.git/config` included, and many settings there are programs: file monitors,
filters, `textconv`, external diffs, hooks, helpers of partial clones. kb asks git beside whatever the user really runs,
so it must not start them. What the user's own and the machine's configuration says, stays in force.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_PATIENCE = 10.0
#: Settings that would run a program, or read a repository that lies in a working tree as one file among others.
_ALWAYS = (
    *("--no-optional-locks", "-c", "core.quotePath=false", "-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false", "-c", "safe.bareRepository=explicit"),
)
#: What commands must be told where no setting does it: submodules have settings, and programs, of their own.
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "status": ("--ignore-submodules=dirty",),
    "diff": ("--ignore-submodules=dirty", "--submodule=short", "--no-ext-diff", "--no-textconv"),
    "show": ("--no-ext-diff", "--no-textconv"),
    "log": ("--no-ext-diff", "--no-textconv"),
}
#: Commands that read files of the working tree, through their filters.
_READ_FILES = ("status", "diff")
#: No missing object is fetched, nothing is asked.
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"


def git(directory: Path | str, *arguments: str, patience: float = _PATIENCE) -> str | None:
    """What a git command that changes nothing prints; None when it fails, takes `patience` seconds or is not there."""
    command, *rest = arguments
    filters = _filters_of(str(directory)) if command in _READ_FILES else ()
    if filters is None:
        return None
    environment = {**os.environ, **_ENVIRONMENT, **_settings(filters)}
    return _output([*_ALWAYS, command, *_OPTIONS.get(command, ()), *rest], str(directory), environment, patience)


def _filters_of(directory: str) -> tuple[str, ...] | None:
    """The settings of filters that the repository of `directory` itself makes; None when git does not say."""
    listing = ["config", "--show-scope", "-z", "--name-only", "--get-regexp", _FILTERS]
    found = _output(listing, directory, {**os.environ, **_ENVIRONMENT}, _PATIENCE, fine=(0, 1))
    if found is None:
        return None
    cells = found.split("\0")
    return tuple({name for scope, name in zip(cells[::2], cells[1::2], strict=False) if scope in ("local", "worktree")})


def _settings(filters: tuple[str, ...]) -> dict[str, str]:
    """The environment that takes `filters` back: names as they are, which `-c` could not hold."""
    count = os.environ.get("GIT_CONFIG_COUNT", "")
    at = int(count) if count.isdecimal() else 0
    settings = {"GIT_CONFIG_COUNT": str(at + len(filters))}
    for number, name in enumerate(filters, at):
        settings[f"GIT_CONFIG_KEY_{number}"] = name
        settings[f"GIT_CONFIG_VALUE_{number}"] = "false" if name.endswith(".required") else ""
    return settings


def _output(
    arguments: list[str], directory: str, environment: Mapping[str, str], patience: float, fine: tuple[int, ...] = (0,)
) -> str | None:
    try:
        ran = subprocess.run(
            ["git", *arguments],
            cwd=directory,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=patience,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout.decode("utf-8", "surrogateescape") if ran.returncode in fine else None
