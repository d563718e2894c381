"""Why a script that a shell traces gave up: what it printed right before it said `exit`."""

from collections.abc import Sequence

from kb.expressions import late
from kb.failures.found import Find, spotted
from kb.failures.streams import Line

_EXIT = late(r"\+{1,4} exit [1-9]\d{0,2}$")
_PRINT = late(r"\+{1,4} (?:echo|printf|cat)\b")
_TRACED = "+"
_MOST = 40
_WEIGHT = 3


def gave_up(lines: Sequence[Line]) -> Find | None:
    """The first thing printed in a row before the last traced `exit` with a failure; None when nothing was."""
    for place in range(len(lines) - 1, 0, -1):
        if lines[place].text.startswith(_TRACED) and _EXIT.match(lines[place].text):
            break
    else:
        return None
    first = place
    for at in range(place - 1, max(-1, place - _MOST), -1):
        text = lines[at].text
        if _PRINT.match(text):
            first = at
        elif text.startswith(_TRACED):
            break
    said = [line for line in lines[first:place] if line.text.strip() and not line.text.startswith(_TRACED)]
    if first == place or not said:
        return None
    return spotted("general", "error-line", "error", said[0].text.strip(), said[0], said, weight=_WEIGHT)
