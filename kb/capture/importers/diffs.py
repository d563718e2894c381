"""Unified diffs from the forms in which agents note their edits."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from kb.capture.importers.source import number_of, part, text_of
from kb.capture.importers.told import Changed

_CONTEXT = 3
_LONGEST = 400_000


def from_texts(path: str, old: str, new: str) -> Changed | None:
    """The change from one text of a file, or of a part of it, to another; None when they are the same.

    An empty `old` is a file that is new. Lines of a part are counted from 1, since where it stood is not known.
    """
    if old == new or len(old) + len(new) > _LONGEST:
        return None
    left = f"a/{_relative(path)}" if old else "/dev/null"
    lines = difflib.unified_diff(_lines(old), _lines(new), left, f"b/{_relative(path)}", n=_CONTEXT)
    return Changed((path,), "".join(lines))


def from_hunks(path: str, hunks: Iterable[Mapping[str, Any]]) -> Changed | None:
    """The change that hunks with `oldStart`, `oldLines`, `newStart`, `newLines` and `lines` make."""
    out = []
    for hunk in hunks:
        lines = part(hunk, "lines")
        if not isinstance(lines, list) or not lines:
            continue
        at = [int(number_of(hunk, key) or 0) for key in ("oldStart", "oldLines", "newStart", "newLines")]
        out.append(f"@@ -{at[0]},{at[1]} +{at[2]},{at[3]} @@")
        out += [line for line in lines if isinstance(line, str)]
    if not out:
        return None
    name = _relative(path)
    return Changed((path,), "\n".join([f"--- a/{name}", f"+++ b/{name}", *out]) + "\n")


def inside(path: str, folder: str) -> str:
    """`path` as seen from `folder`, where it lies in it."""
    return path.removeprefix(f"{folder.rstrip('/')}/") if folder else path


def from_diff(diff: str) -> Changed | None:
    """A diff that is one already; None when it changes no file."""
    paths = []
    for line in diff.split("\n"):
        found = _PATH.match(line)
        if found:
            paths.append(found[1] or found[2])
    if not paths:
        return None
    return Changed(tuple(dict.fromkeys(paths)), diff.replace("\r\n", "\n").strip("\n") + "\n")


def from_envelope(patch: str) -> Changed | None:
    """The change in an `apply_patch` envelope: `*** Update File:`, `*** Add File:`, `*** Delete File:`, hunks without
    line numbers. It is shown with file headers; the hunks stay as they are.
    """
    paths: list[str] = []
    out: list[str] = []
    for line in patch.replace("\r\n", "\n").split("\n"):
        found = _ENVELOPE.match(line)
        if found:
            name = found[2].strip()
            paths.append(name)
            out.append(f"--- {'/dev/null' if found[1] == 'Add' else 'a/' + _relative(name)}")
            out.append(f"+++ {'/dev/null' if found[1] == 'Delete' else 'b/' + _relative(name)}")
        elif line.startswith("*** End Patch"):
            break
        elif line.startswith("*** "):
            continue
        elif paths:
            out.append(line)
    return Changed(tuple(dict.fromkeys(paths)), "\n".join(out).rstrip("\n") + "\n") if paths else None


def of_edit(path: str, arguments: Mapping[str, Any]) -> Changed | None:
    """The change of an edit that is told by the text it replaced: `old_string`/`new_string` or `old_str`/`new_str`."""
    old = text_of(arguments, "old_string") or text_of(arguments, "old_str")
    new = text_of(arguments, "new_string") or text_of(arguments, "new_str")
    return from_texts(path, old, new)


_PATH = re.compile(r"diff --git a/(\S+) b/|\+\+\+ (?:b/)?(?!/dev/null)(\S+)")
_ENVELOPE = re.compile(r"\*\*\* (Update|Add|Delete) File: (.+)")


def _relative(path: str) -> str:
    return path.lstrip("/")


def _lines(text: str) -> list[str]:
    return [f"{line}\n" for line in text.removesuffix("\n").split("\n")] if text else []
