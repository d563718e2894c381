"""A text of prose as blocks: headings, paragraphs, quoted or fenced code. Markdown enough for write-ups of any kind.

No parser of Markdown: people paste logs anywhere, and what looks like structure in them must not become one. Linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*([\w+.#-]*)")
_HEADING = re.compile(r" {0,3}#{1,6}\s+(\S.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"(?:={3,}|-{3,})\s*$")
_INDENTED = re.compile(r"(?: {4}|\t)")
_MARK = re.compile(
    r"\[(assistant|user|human|system|tool|bash|sh|shell|zsh|python|edit|write|read|grep)\b[^\]\n]{0,40}\] ?"
)


class Block(NamedTuple):
    """A block and the 1-based line where it begins.

    `kind` is `heading`, `prose`, `code` (`language` is the word after its fence) or `mark` (`language` is the role in
    `[role] …`, `text` what follows it up to the next blank line).
    """

    kind: str
    text: str
    line: int
    language: str = ""


def blocks(text: str) -> Iterator[Block]:
    """The blocks of `text`, in order."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
            continue
        block, end = _block(lines, at)
        yield block
        at = end


def _block(lines: list[str], at: int) -> tuple[Block, int]:
    line = lines[at]
    fence = _FENCE.match(line)
    if fence:
        return _fenced(lines, at, fence)
    mark = _MARK.match(line)
    if mark:
        end = _paragraph_end(lines, at)
        return Block("mark", "\n".join([line[mark.end() :], *lines[at + 1 : end]]), at + 1, mark[1]), end
    heading = _HEADING.match(line)
    if heading:
        return Block("heading", heading[1], at + 1), at + 1
    if at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1]) and len(line) < 200 and not _INDENTED.match(line):
        return Block("heading", line.strip(), at + 1), at + 2
    if line.startswith(">"):
        end = at
        while end < len(lines) and lines[end].startswith(">"):
            end += 1
        return Block("code", "\n".join(one[1:].removeprefix(" ") for one in lines[at:end]), at + 1, ">"), end
    if _INDENTED.match(line):
        return _indented(lines, at)
    end = _paragraph_end(lines, at)
    return Block("prose", "\n".join(lines[at:end]), at + 1), end


def _paragraph_end(lines: list[str], at: int) -> int:
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _MARK.match(lines[end]) and not _FENCE.match(lines[end]):
        end += 1
    return end


def _fenced(lines: list[str], at: int, fence: re.Match[str]) -> tuple[Block, int]:
    closing = re.compile(rf" {{0,3}}{re.escape(fence[1][0])}{{{len(fence[1])},}}\s*$")
    end = at + 1
    while end < len(lines) and not closing.match(lines[end]):
        end += 1
    return Block("code", "\n".join(lines[at + 1 : end]), at + 1, fence[2].lower()), min(end + 1, len(lines))


def _indented(lines: list[str], at: int) -> tuple[Block, int]:
    """Indented lines, and the blank ones between them."""
    end = at
    for number in range(at, len(lines)):
        if lines[number].strip():
            if not _INDENTED.match(lines[number]):
                break
            end = number + 1
    return Block("code", "\n".join(lines[at:end]), at + 1, " "), end
