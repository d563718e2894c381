"""Which commit a command ran on, and what the working tree differed in from it."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from kb.capture.git import git

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
    ask = partial(git, folder, patience=_PATIENCE)
    commit = ask("rev-parse", "--verify", "-q", "HEAD")
    if not commit:
        return None
    branch = ask("symbolic-ref", "--short", "-q", "HEAD") or ""
    diff = (ask("diff", "--no-color", "HEAD", "--") or "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if len(diff) > _LONGEST_DIFF:
        diff = diff[:_LONGEST_DIFF] + "\n[... the rest of the difference is left out ...]\n"
    return GitState(commit.strip(), branch.strip(), diff)
