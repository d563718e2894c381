"""Tracebacks logged as a list of their lines: `['Traceback (most recent call last):\\n', …, 'KeyError: 7\\n']`."""

from __future__ import annotations

from kb.expressions import late
from kb.failures.json_lines import Record

_BEGIN = "['Traceback (most recent call last):\\n', "
_BETWEEN = late(r"""(?<=\\n)['"], u?['"]""")


def looks_listed(line: str) -> bool:
    """Whether `line` may hold such a list."""
    return _BEGIN in line


def unfold_listed(line: str) -> Record:
    """What `line`, which looks listed, says: the text before the list, and the lines of the traceback."""
    before, _, rest = line.partition(_BEGIN)
    pieces = _BETWEEN.split(rest.strip().removesuffix("]").strip("\"'"))
    text = "".join(piece.replace("\\n", "\n").replace("\\'", "'").replace("\\\\", "\\") for piece in pieces)
    trace = ("Traceback (most recent call last):", *text.rstrip("\n").split("\n"))
    return Record((before.rstrip(),) if before.strip() else (), trace)
