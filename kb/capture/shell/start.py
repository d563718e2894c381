"""How a shell is started so that it marks its commands: the user's own start-up files first, then kb's."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

_SCRIPTS = Path(__file__).parent
#: The shells that kb's marks are written for.
MARKED = ("bash", "zsh", "fish")


class Start(NamedTuple):
    """What to run, in which environment; `marked` says whether the shell will print kb's own marks."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    marked: bool


def shell_start(shell: str, nonce: str, folder: Path, environment: Mapping[str, str]) -> Start:
    """How to start `shell` (a name or a path). `folder` is an empty folder that lasts as long as the shell does."""
    name = os.path.basename(shell)
    marked = bool(nonce) and name in MARKED
    env = dict(environment)
    if not marked:
        return Start((shell, "-i") if name in (*MARKED, "sh", "dash", "ksh") else (shell,), env, False)
    env["KB_NONCE"] = nonce
    if name == "bash":
        return Start((shell, "--rcfile", str(_SCRIPTS / "kb.bash"), "-i"), env, True)
    if name == "fish":
        return Start((shell, "--init-command", f"source {_quoted(str(_SCRIPTS / 'kb.fish'))}", "-i"), env, True)
    for script, as_ in (("zshenv.zsh", ".zshenv"), ("zshrc.zsh", ".zshrc"), ("kb.zsh", "kb.zsh")):
        shutil.copyfile(_SCRIPTS / script, folder / as_)
    env["KB_ZDOTDIR"] = environment.get("ZDOTDIR", "")
    env["ZDOTDIR"] = str(folder)
    return Start((shell, "-i"), env, True)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
