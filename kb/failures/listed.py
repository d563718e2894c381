"""Tracebacks logged as Python writes values: a list of their lines, or one text.

`['Traceback (most recent call last):\\n', …, 'KeyError: 7\\n']`, `stderr=b'Traceback (most recent call last):\\n …'`.
"""

from __future__ import annotations

from kb.expressions import late
from kb.failures.json_lines import Record
from kb.failures.source_code import opens_text

_BEGIN = "['Traceback (most recent call last):\\n', "
_WRITTEN = "Traceback (most recent call last):\\n"
_FIELD = late(r'\s*"[^"]{1,100}": ')  # of JSON over several lines
#: Of a text with markup, which shows tracebacks as examples.
_EXAMPLE = late(r"(?:::|```\w{0,20})(?:\\n *)+$")
_ESCAPE = late(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "'": "'", '"': '"', "\\": "\\"}
_BETWEEN = late(r"""(?<=\\n)['"], u?['"]""")


def looks_listed(line: str) -> bool:
    """Whether `line` may hold such a list or text."""
    before, written, _ = line.partition(_BEGIN)
    if written:
        return not opens_text(f"{before}['")
    before, written, _ = line.partition(_WRITTEN)
    return (
        bool(written)
        and '{"' not in before
        and not (_EXAMPLE.search(before[-200:]) or _FIELD.match(line) or opens_text(before))
    )


def unfold_listed(line: str) -> Record:
    """What `line`, which looks listed, says: the text before the list or text, and the lines of the traceback."""
    before, begin, rest = line.partition(_BEGIN)
    if begin:
        pieces = _BETWEEN.split(rest.strip().removesuffix("]").strip("\"'"))
    else:
        before, _, rest = line.partition(_WRITTEN)
        mark = max("'\"", key=before.rfind)
        opened = before.rfind(mark)
        if opened >= 0 and mark in rest:
            rest = rest[: rest.rfind(mark)]  # what stands behind the text closes calls and brackets
        before, pieces = before[: max(opened, 0)] + before[opened + 1 :], [rest]
    text = "".join(map(_plain, pieces))
    said = tuple(_plain(before).rstrip().split("\n")) if before.strip() else ()
    trace = ("Traceback (most recent call last):", *text.rstrip("\n").split("\n"))
    # A text is what another program printed: each of its lines may have prefixes of its own.
    return Record(said, trace) if begin else Record((*said, *trace))


def _plain(piece: str) -> str:
    return _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1], escape[0]), piece)
