"""From the bytes of a log to clean lines: decoding, colours, carriage returns, control characters."""

from __future__ import annotations

import re

#: CSI, OSC (with hyperlinks), DCS/APC/PM strings, and two-byte escapes; bounded so that a lone introducer eats nothing.
_ANSI = re.compile(
    r"\x1b(?:"
    r"\[[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|[\]PX^_][^\x07\x1b\n]{0,2048}(?:\x07|\x1b\\)"
    r"|[ -/]{0,4}[0-Z\\^-~]"
    r")"
)
#: Colour codes that lost their ESC in copying: `[1;36m(`, `[0;0m`, or ESC written as `^[`.
_LOST_ESCAPE = re.compile(
    r"(?:\^\[|\u241b)\[[0-9;]{0,16}m|\[(?:\d{1,2};){1,4}\d{1,3}m|(?<![\w\])])\[(?:0|1|3[0-7])m|(?<=[\w)\]])\[0m"
)
#: What Ray appends to a line that many of its workers wrote.
_REPEATED = re.compile(r" ?\[repeated \d{1,9}x across cluster\](?: \(Ray deduplicates logs.*)?$")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\ufeff]")


def decode(data: bytes | str) -> str:
    """The text of a log. UTF-8 unless a byte order mark or NUL bytes say UTF-16; what cannot be read becomes U+FFFD."""
    if isinstance(data, str):
        return data
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if len(data) >= 4 and data[1:64:2].count(0) > 0.8 * len(data[1:64:2]):
        return data.decode("utf-16-le", "replace")
    return data.decode("utf-8", "replace")


def raw_lines(text: str) -> list[str]:
    """The raw lines of `text`: only `\\n` ends a line, so that numbers agree with every editor and `grep -n`."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def clean(line: str) -> str:
    """`line` as a person saw it: no colours, only what a carriage return left visible, no control characters."""
    if "\r" in line:
        line = line.rstrip("\r")
        if "\r" in line:
            line = line[line.rindex("\r") + 1 :]
    if "\x1b" in line:
        line = _ANSI.sub("", line)
    if "0m" in line or "^[" in line or "\u241b" in line or (";" in line and "[" in line):
        line = _LOST_ESCAPE.sub("", line)
    if "x across cluster]" in line:
        line = _REPEATED.sub("", line)
    if line.endswith("^M"):
        line = line[:-2]
    if not (line.isascii() and line.isprintable()):
        line = _CONTROL.sub("", line)
    return line
