"""The session one is in, in a few words for the prompt of a shell: before each prompt, so nothing else is loaded."""

from __future__ import annotations

import os
import re
import sys

from kb.capture.current import Current, find_current
from kb.errors import KbError
from kb.home import find_home, need_home

_ATTEMPT = re.compile(rb"^## Attempt ", re.MULTILINE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}-")
_SHORT = 32


def short(current: Current) -> str:
    """The session in a few words, without reading its record but for the number of its attempts."""
    try:
        attempts = len(_ATTEMPT.findall(current.record.read_bytes()))
    except OSError:
        attempts = 0
    dated = _DATE.match(current.id)
    name = current.id[dated.end() :] if dated else current.id
    name = name if len(name) <= _SHORT else name[: _SHORT - 1] + "…"
    # The name of a file may hold anything, and a prompt is printed by itself.
    name = "".join(c if c.isprintable() else "?" for c in name)
    return f"[kb {name}{f' #{attempts}' if attempts else ''}] "


def prompt() -> int:
    """Print what `kb status --short` prints; its exit status. Whatever is wrong, a prompt stays a prompt."""
    try:
        home = need_home(settings=False) if os.environ.get("KB_HOME") else find_home(settings=False)
        current = find_current(home) if home is not None else None
    except (KbError, OSError):
        return 1
    if current is None:
        return 1
    sys.stdout.buffer.write(f"{short(current)}\n".encode("utf-8", "replace"))
    return 0
