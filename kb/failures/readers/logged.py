"""How loudly a report was logged: under a warning or for debugging it is no failure, whatever stack it shows."""

from __future__ import annotations

from kb.failures.streams import Stream

_MILD = frozenset({"debug", "info", "warning"})


def harmless(lines: Stream, start: int) -> str:
    """Why the report that begins at `start` is no failure; "" when it is one.

    Only the record on the same line or right above counts. A report below an INFO line may have come from elsewhere (a
    stack printed to the terminal), so only its own line says INFO.
    """
    own = lines[start]
    if own.level:
        return f"logged as {own.level}" if own.level in _MILD else ""
    if start == 0:
        return ""
    before = lines[start - 1]
    if before.level in _MILD and before.level != "info":
        return f"logged as {before.level}"
    return ""
