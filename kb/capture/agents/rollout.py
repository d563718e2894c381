"""How a command ended, from the rollout that Codex writes meanwhile: its hook is told the output alone."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

#: The end of the file is enough: the hook is called right after the command.
_END = 4 << 20


class Ended(NamedTuple):
    """The exit status and the duration in seconds; None where nothing tells them."""

    exit: int | None
    seconds: float | None


def ended(path: str, call: str) -> Ended:
    """How the command with the id `call` ended, as the rollout at `path` says. Never an error."""
    try:
        with open(path, "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _END))
            lines = stream.read(_END).split(b"\n")
    except (OSError, ValueError):
        return Ended(None, None)
    named = call.encode("utf-8", "replace")
    for line in reversed(lines):
        if named not in line or b"exit_code" not in line:
            continue
        try:
            payload = json.loads(line)["payload"]
            found = payload if payload.get("call_id") == call else payload["item"]
            if call in (found.get("id"), found.get("call_id")):
                return Ended(_integer(found["exit_code"]), _seconds(found.get("duration")))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
    return Ended(None, None)


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _seconds(duration: Any) -> float | None:
    """A duration as Codex writes it, whole seconds and nanoseconds; None for anything else."""
    if not isinstance(duration, dict):
        return None
    secs, nanos = _integer(duration.get("secs")), _integer(duration.get("nanos"))
    return None if secs is None or nanos is None or not 0 <= secs < 10**8 else secs + nanos / 1e9
