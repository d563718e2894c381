"""Commits of Git: a fix, and what their messages tell of what it fixed.

Each commit of the range is a fix, named after its subject; the logs that a message quotes are evidence, and what it
says besides stands with the fix.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from kb.capture.git import git
from kb.capture.importers.code_blocks import quoted
from kb.capture.importers.told import Changed, Event, Story
from kb.capture.names import slug_of
from kb.errors import UsageError

_MOST = 30
_LARGEST = 1 << 20
_PATIENCE = 60
_TRAILER = re.compile(r"(?m)^(Fixes|Closes|Resolves|Reported-by|Link|Bug|See-also): *(\S.*)$", re.IGNORECASE)
_KIND = re.compile(r"(?:fix|bug|bugfix|hotfix|feat|chore|refactor)(?:\([\w./ -]{1,40}\))?!?: *", re.IGNORECASE)
#: Lines of a patch that say nothing to a reader.
_LEFT_OUT = ("index ", "similarity index ")


class Commit(NamedTuple):
    """A commit: its hash, when it was written, the subject, the rest of the message, and its patch."""

    hash: str
    written: datetime
    subject: str
    body: str
    patch: str


def read_commits(folder: Path, range_: str) -> Story:
    """The story of the commits in `range_` (`A..B`, or one commit) of the repository in `folder`.

    Raises UsageError for what is no range of it, InputError when Git cannot be run.
    """
    listed = _git(folder, "rev-list", "--reverse", "--no-merges", *_range(range_)).split()
    if not listed:
        raise UsageError(f"there is no commit in {range_}", hint="kb import git OLD..NEW")
    lost = (f"the first {len(listed) - _MOST} commits of {len(listed)}",) if len(listed) > _MOST else ()
    commits = [_commit(folder, one) for one in listed[-_MOST:]]
    events: list[Event] = []
    for commit in commits:
        events += [one for one in quoted(commit.body, f"commit {commit.hash[:12]}") if not isinstance(one, Changed)]
    events += [_change(commit) for commit in commits]
    unknown = ["a run after the fix, which shows that it helped"]
    if not any(not isinstance(event, Changed) for event in events):
        unknown.insert(0, "what the failure looked like: no message quotes a log (`kb log FILE` adds one)")
    return Story(
        tuple(events),
        title=commits[0].subject if len(commits) == 1 else f"{commits[-1].subject} (and {len(commits) - 1} more)",
        started=commits[0].written,
        ended=commits[-1].written,
        environment={"git": commits[-1].hash[:12]},
        lost=lost,
        unknown=tuple(unknown),
    )


def _range(range_: str) -> Sequence[str]:
    if range_.startswith("-"):
        raise UsageError(f"{range_!r} is no range of commits", hint="kb import git OLD..NEW")
    return (range_, "--") if ".." in range_ else ("-1", range_, "--")


def _commit(folder: Path, hash_: str) -> Commit:
    told = _git(folder, "show", "-s", "--format=%at%x00%s%x00%b", hash_)
    seconds, subject, body = (*told.split("\0", 2), "", "")[:3]
    options = ("--format=", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
    patch = _git(folder, "show", *options, hash_)
    kept = "\n".join(line for line in patch.strip("\n").split("\n") if not line.startswith(_LEFT_OUT)) + "\n"
    written = datetime.fromtimestamp(int(seconds) if seconds.strip().isdigit() else 0, UTC)
    return Commit(hash_, written, subject.strip(), body.strip(), kept)


def _change(commit: Commit) -> Changed:
    paths = tuple(dict.fromkeys(re.findall(r"(?m)^diff --git a/(\S+) b/", commit.patch)))
    told = [f"{name.capitalize()}: {value}" for name, value in _TRAILER.findall(commit.body)]
    words = [commit.subject, _TRAILER.sub("", commit.body).strip(), "\n".join(told), f"Commit {commit.hash[:12]}."]
    name = slug_of(_KIND.sub("", commit.subject, count=1), 60) or f"commit-{commit.hash[:12]}"
    return Changed(paths, commit.patch, name, "\n\n".join(part for part in words if part))


def _git(folder: Path, *arguments: str) -> str:
    said = git(folder, *arguments, patience=_PATIENCE)
    if said is None:
        raise UsageError(
            f"git does not know these commits in {folder}, or cannot be run",
            hint="kb import git OLD..NEW, inside the repository",
        )
    return said[:_LARGEST].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
