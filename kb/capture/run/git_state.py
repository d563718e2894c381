"""Which commit a command ran on, and what the working tree differed in from it."""

from __future__ import annotations

import os
import subprocess
from typing import NamedTuple

#: Seconds that git may take: a command must not wait for a huge repository.
_PATIENCE = 2.0
_LONGEST_DIFF = 256 << 10


class GitState(NamedTuple):
    """The commit, the branch ("" when detached), and the difference of tracked files from the commit, maybe cut."""

    commit: str
    branch: str
    diff: str

    @property
    def words(self) -> dict[str, str]:
        """The state without the diff, for a record."""
        dirty = {"dirty": "yes"} if self.diff else {}
        return {"commit": self.commit, **({"branch": self.branch} if self.branch else {}), **dirty}


def git_state(folder: str) -> GitState | None:
    """The state of the repository that `folder` is in; None when it is in none, or git is missing or slow."""
    commit = _git(folder, "rev-parse", "--verify", "-q", "HEAD")
    if not commit:
        return None
    branch = _git(folder, "symbolic-ref", "--short", "-q", "HEAD") or ""
    diff = _git(folder, "diff", "--no-ext-diff", "--no-color", "HEAD", "--") or ""
    if len(diff) > _LONGEST_DIFF:
        diff = diff[:_LONGEST_DIFF] + "\n[... the rest of the difference is left out ...]\n"
    return GitState(commit.strip(), branch.strip(), diff)


def _git(folder: str, *arguments: str) -> str | None:
    try:
        ran = subprocess.run(
            ["git", "-C", folder, *arguments],
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout.decode("utf-8", "replace") if ran.returncode == 0 else None
