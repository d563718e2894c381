"""What changed between two states of a working tree, as one patch."""

from __future__ import annotations

import difflib
import re
import subprocess
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from kb.capture.git import git
from kb.capture.redacting import Redact
from kb.capture.snapshot import Snapshot, as_text

_PATIENCE = 20
#: Lines of a patch that say nothing to a reader, or hold a hash of what was redacted.
_LEFT_OUT = ("index ", "similarity index ")
#: Git names the side that is there twice when a file is new or gone.
_SIDES = re.compile(r"diff --git (?:a|b)/(.*) (?:a|b)/\1")


class Patch(NamedTuple):
    """A unified diff that `git apply` and `patch -p1` take, and the files it changes."""

    text: str
    files: tuple[str, ...]


def patch_between(before: Snapshot, after: Snapshot, redact: Redact, *, without: Collection[str] = ()) -> Patch:
    """The patch that leads from `before` to `after`, redacted; an empty one when nothing that is text changed.

    Commits in between are in it, too. Files with one of the names `without` are not.
    """
    names = {*before.files, *after.files}
    if before.commit and after.commit and before.commit != after.commit:
        listed = git(after.root, "diff", "--name-only", "--no-renames", "-z", before.commit, after.commit)
        names.update(name for name in (listed or "").split("\0") if name)
    changed = []
    for name in sorted(names):
        if name.rpartition("/")[2] in without:
            continue
        old, new = _text(before, name, redact), _text(after, name, redact)
        if old != new:
            changed.append((name, old, new))
    if not changed or before.root != after.root:
        return Patch("", ())
    return Patch(_diff(changed), tuple(name for name, _, _ in changed))


def _text(snapshot: Snapshot, name: str, redact: Redact) -> str | None:
    if name in snapshot.files or not snapshot.commit:
        return snapshot.files.get(name)
    shown = git(snapshot.root, "show", f"{snapshot.commit}:{name}")
    text = None if shown is None else as_text(shown.encode("utf-8", "surrogateescape"))
    return None if text is None else redact(text)


def _plain_diff(name: str, old: str | None, new: str | None) -> str:
    """The diff of one file where there is no git to make it."""
    left = f"a/{name}" if old is not None else "/dev/null"
    right = f"b/{name}" if new is not None else "/dev/null"
    before, after = ((text or "").splitlines(keepends=True) for text in (old, new))
    lines = difflib.unified_diff(before, after, left, right)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _diff(changed: list[tuple[str, str | None, str | None]]) -> str:
    with tempfile.TemporaryDirectory(prefix="kb-patch-") as folder:
        for side in ("a", "b"):
            (Path(folder) / side).mkdir()
        for name, *texts in changed:
            for side, text in zip(("a", "b"), texts, strict=True):
                if text is not None:
                    path = Path(folder) / side / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(text.encode("utf-8", "surrogateescape"))
        command = ["git", "-c", "core.quotePath=false", "-c", "core.autocrlf=false", "diff", "--no-index"]
        command += ["--no-prefix", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "a", "b"]
        try:
            ran = subprocess.run(command, cwd=folder, capture_output=True, timeout=_PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return "".join(_plain_diff(*one) for one in changed)
    lines = ran.stdout.decode("utf-8", "surrogateescape").split("\n")
    return "\n".join(_SIDES.sub(r"diff --git a/\1 b/\1", line) for line in lines if not line.startswith(_LEFT_OUT))
