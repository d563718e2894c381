"""Tracebacks logged as Python writes values: a list of their lines, or one text.

`['Traceback (most recent call last):\\n', …, 'KeyError: 7\\n']`, `stderr=b'Traceback (most recent call last):\\n …'`.
"""

from __future__ import annotations

from kb.expressions import late
from kb.failures.json_lines import Record
from kb.failures.lines import clean
from kb.failures.source_code import opens_text

_BEGIN = "['Traceback (most recent call last):\\n', "
_WRITTEN = "Traceback (most recent call last):\\n"
_FIELD = late(r'\s*"[^"]{1,100}": ')  # of JSON over several lines
#: Of a text with markup, which shows tracebacks as examples.
_EXAMPLE = late(r"(?:::|```\w{0,20})(?:\\n *)+$")
_ESCAPE = late(r"\\(x[0-9a-f]{2}|.)")
#: Of a patch, or of a shell that shows the commands it runs (`set -x`).
_SHOWN = late(r"\+|-\S")
#: A line that is one text, in which so many lines stand at least.
_WHOLE = late(r"[bu]?(?P<mark>['\"])")
_LINES = 3
_ESCAPES = {"n": "\n", "t": "\t", "'": "'", '"': '"', "\\": "\\"}
_BETWEEN = late(r"""(?<=\\n)['"], u?['"]""")


def looks_listed(line: str) -> bool:
    """Whether `line` may hold such a list or text."""
    if line.startswith(("'", '"', "b'", 'b"')) and _whole(line):
        return True
    if line.startswith(("+", "-")) and _SHOWN.match(line):
        return False
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
    if whole := _whole(line):
        return Record(_lines(whole))
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


def _whole(line: str) -> str:
    """What stands between the quotation marks of `line`, when that is one text of several lines; or ""."""
    opened, line = _WHOLE.match(line), line.rstrip()
    if opened is None or not line.endswith(opened["mark"]) or line.count("\\n") < _LINES:
        return ""
    return line[opened.end() : -1]


def _lines(text: str) -> tuple[str, ...]:
    """The lines of `text`, which is escaped: each as a program printed it."""
    return tuple(part for line in _plain(text).split("\n") for part in clean(line).split("\n"))


def _plain(piece: str) -> str:
    return _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1]) or _character(escape[1]) or escape[0], piece)


def _character(code: str) -> str:
    return chr(int(code[1:], 16)) if len(code) > 1 else ""
