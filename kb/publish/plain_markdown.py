"""Text as Markdown in which no dialect finds anything: what is safe must not depend on who renders it.

It stays readable in its source, too: only what could mean something where it stands is escaped, with a backslash where
all dialects know it, else as a character reference.
"""

from __future__ import annotations

import re

from kb.runbook.visible import peel, plain, visible

_ALWAYS = {"<": "&lt;", ">": "&gt;", "~": "&#126;", "^": "&#94;", "$": "&#36;", "|": "&#124;"} | {
    sign: f"\\{sign}" for sign in "\\`*[]{"
}
_SPECIAL = re.compile(
    r"[<>~^$|\\`*\[\]{]"
    r"|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"  # inside a word it stresses nothing
    r"|&(?=#?\w)|=(?==)|(?<==)="
    r"|:(?=//|[\w+-]{1,60}:)|(?<=www)\.(?=\w)"  # addresses, and names of pictures
)
#: What begins a block, a heading of one included, at the begin of a line.
_BEGIN = re.compile(r"[#+\-!?/:=]|\d{1,9}[.)](?=\s|\Z)")
_RUN = re.compile(r"`{3,}")


def escaped(text: str) -> str:
    """`text` as one line in which no dialect of Markdown finds anything."""
    return begun(within(plain(text)))


def within(line: str) -> str:
    """`line` as it may stand in a line."""
    return _SPECIAL.sub(_escape, line)


def begun(line: str) -> str:
    """A line of Markdown that begins no block."""
    begin = _BEGIN.match(line)
    if not begin:
        return line
    sign = begin[0][-1]
    return begin[0][:-1] + (f"\\{sign}" if sign in "#+-!.)" else f"&#{ord(sign)};") + line[begin.end() :]


def _escape(match: re.Match[str]) -> str:
    sign = match[0]
    return _ALWAYS.get(sign) or (f"\\{sign}" if sign in "_." else f"&#{ord(sign)};")


def code(text: str) -> str:
    """`text` as code in a line."""
    line = plain(text)
    if not line or "|" in line:
        return escaped(line)
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{space}{line}{space}{ticks}"


def fenced(text: str, language: str = "") -> str:
    """`text` in a fence that nothing in it can close."""
    body = visible(peel(text)).rstrip("\n")
    fence = "`" * max([3, *(len(run) + 1 for run in _RUN.findall(body))])
    return f"{fence}{language if language.isalpha() else ''}\n{body}\n{fence}"
