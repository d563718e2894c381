"""What a text of a record may hold, and the escapes that carry the rest through Markdown and YAML."""

from __future__ import annotations

import re

#: Characters that a file of plain lines cannot hold, or that a person reading it would not see: controls but for tab
#: and line feed, line separators, byte order marks, noncharacters, and the marks that reorder text on the screen.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")

_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANK_START = re.compile(r"\A(?:[ \t]*\n)+")
_ESCAPED = re.compile(r"\\(\\|x[0-9a-f]{2}|u[0-9a-f]{4})?")
_SHOWN = 60


def without_surrogates(text: str) -> str:
    """`text` with U+FFFD for every lone surrogate: UTF-8 has no form for these."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def prose(text: str) -> str:
    """`text` as prose: line ends are `\\n`, and there is no blank line at its start nor blank space at its end."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _BLANK_START.sub("", text).rstrip(" \t\n")


def escape(body: str) -> str:
    """`body` with backslashes doubled and unprintable characters as `\\xNN` or `\\uNNNN`; `unescape` undoes it."""
    return UNPRINTABLE.sub(_escaped, body.replace("\\", "\\\\"))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def unescape(text: str) -> tuple[str, int | None]:
    """The body that `escape` was given, and where the first bad escape is (None when all are good; bad ones stay)."""
    bad: int | None = None

    def plain(match: re.Match[str]) -> str:
        nonlocal bad
        code = match[1]
        if code is None:
            bad = match.start() if bad is None else bad
            return "\\"
        return code if code == "\\" else chr(int(code[1:], 16))

    return without_surrogates(_ESCAPED.sub(plain, text)), bad


def shown(text: str) -> str:
    """`text` as a message quotes it: in quotes, control characters escaped, long ones cut."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
