"""How loudly a report was logged: under a warning or for debugging it is no failure, whatever stack it shows."""

from __future__ import annotations

from kb.failures.streams import MILD, Stream

_LOUD = frozenset({"error", "fatal"})
#: So many blank lines may stand behind a traceback.
_BLANK = 3


def harmless(lines: Stream, start: int) -> str:
    """Why the report that begins at `start` is no failure; "" when it is one.

    Only the record on the same line or right above counts. A report below an INFO line may have come from elsewhere (a
    stack printed to the terminal), so only its own line says INFO.
    """
    own = lines[start]
    if own.level:
        return f"logged as {own.level}" if own.level in MILD else ""
    if start == 0:
        return ""
    before = lines[start - 1]
    if before.level in MILD and before.level != "info":
        return f"logged as {before.level}"
    return ""


def handled(lines: Stream, start: int, end: int) -> str:
    """The level under which a program logged the traceback of Python from `start` to before `end` and went on, or "".

    What Python prints of an exception that ends it looks like what a logger prints below a record. So the record says
    how loud the traceback is where that begins on the record's own line, or where the program logged on after it. A
    traceback each line of which is a record may be the output of another program, whose level is not known.
    """
    own = lines[start]
    if own.level in MILD and end > start + 1 and not lines[start + 1].record:
        return own.level
    before = lines[start - 1] if start else own
    if before is own or not before.record or before.level not in MILD or before.level == "info":
        return ""
    one = (own.level, own.time) == (before.level, before.time) if own.record else not own.level
    after = next((line for line in lines[end : end + _BLANK] if line.text.strip()), own)
    went_on = after.record and after.level not in _LOUD and bool(after.level) and after.key == before.key
    return before.level if one and went_on and after is not own else ""
