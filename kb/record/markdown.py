"""The structure of a record's Markdown: its front matter, headings and fences, with the lines they stand on.

Only the block tokens of markdown-it count. What stands in a list or a quote is prose, and so is every heading below
the third level. A line is known by its 0-based index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from kb.record.plain_outline import PlainHeading, plain_outline
from kb.record.problems import Problems

# The inline rule never matters for structure, and costs most of the time.
_MARKDOWN = MarkdownIt("commonmark").use(front_matter_plugin).disable(["inline", "text_join"])

_LANGUAGE = re.compile(r"[^\s{]*")
_OPENING = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*[A-Za-z{]", re.MULTILINE)
_SECTION = re.compile(r"## (?:Attempt [0-9]+:|Resolution[ \t]*$)")
_STEP_LEVEL = 3
_LONG_MARK = 9
# Each repair reads the text anew: a file of nothing but open fences must not make that quadratic.
_REPAIRS = 4
#: What opens an HTML block that a blank line does not end, and what ends it.
_HTML = (
    (re.compile(r"<(script|pre|style|textarea)(?=[\s>]|$)", re.I), re.compile(r"</(script|pre|style|textarea)>", re.I)),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the levels 1 to 3 on the line `start`; `text` is without the marks."""

    start: int
    level: int
    text: str
    source: str

    @property
    def end(self) -> int:
        """The line after it."""
        return self.start + 1

    def column(self, part: str) -> int:
        """The 1-based column at which `part`, the end of its text, stands in the line."""
        return self.source.rfind(part) + 1


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block on the lines `start` to `end` (exclusive).

    `language` is the first word after the fence, `rest` what follows it, `column` where that stands in the line.
    """

    start: int
    end: int
    language: str
    rest: str
    column: int
    content: str


@dataclass(frozen=True, slots=True)
class Outline:
    """A text's lines, the lines `front` of its front matter (None: it has none), and its headings and fences."""

    lines: list[str]
    front: tuple[int, int] | None
    elements: tuple[Heading | Fence, ...]

    def between(self, start: int, end: int) -> str:
        """The source of the lines `start` to `end` (exclusive)."""
        return "\n".join(self.lines[start:end])


class _Hole(NamedTuple):
    """Lines `start` to `resume` (exclusive) that swallow more than was meant, and the problem to note."""

    start: int
    resume: int
    code: str
    message: str
    hint: str


def outline(text: str, problems: Problems) -> Outline:
    """The outline of `text`, whose line ends are `\n`.

    A fence or an HTML block that is never closed is a problem; reading goes on where the record seems to.
    """
    lines = (text if text.endswith("\n") else text + "\n").split("\n")
    plain = None if "\0" in text or "\r" in text else _plain(lines)
    if plain is not None:
        return plain
    tokens = _MARKDOWN.parse("\n".join(lines))
    for chance in range(_REPAIRS, -1, -1):
        hole = _first_hole(tokens, lines)
        if hole is None:
            break
        rest = "" if chance else "; the rest is not read"
        problems.add(hole.start + 1, hole.code, hole.message + rest, hole.hint)
        resume = hole.resume if chance else len(lines)
        lines[hole.start : resume] = [""] * (resume - hole.start)
        tokens = _MARKDOWN.parse("\n".join(lines))
    front: tuple[int, int] | None = None
    elements: list[Heading | Fence] = []
    for index, token in enumerate(tokens):
        if token.level or token.map is None:
            continue
        start, end = token.map
        if token.type == "front_matter":
            front = start, end
        elif token.type == "heading_open" and int(token.tag[1]) <= _STEP_LEVEL:
            if token.markup[0] == "#":
                elements.append(Heading(start, len(token.markup), tokens[index + 1].content, lines[start]))
            else:
                _setext(end, lines, problems)
        elif token.type == "fence":
            elements.append(_fence(start, end, token.info, token.content, lines))
    return Outline(lines, front, tuple(elements))


def _plain(lines: list[str]) -> Outline | None:
    """The outline of lines that need no parser; None when they may need one."""
    found = plain_outline(lines)
    if found is None:
        return None
    elements: list[Heading | Fence] = []
    for one in found.elements:
        if isinstance(one, PlainHeading):
            if one.level <= _STEP_LEVEL:
                elements.append(Heading(one.start, one.level, one.text, lines[one.start]))
        elif one.mark in one.content and any(_opens_too(one.content, one.mark)):
            return None
        else:
            elements.append(_fence(one.start, one.end, one.info, one.content, lines))
    return Outline(lines, found.front, tuple(elements))


def _opens_too(content: str, mark: str) -> Iterator[re.Match[str]]:
    """Lines in a fence by `mark` that were meant to open another one like it."""
    return (m for m in _OPENING.finditer(content) if m[1][0] == mark[0] and len(m[1]) >= len(mark))


def _first_hole(tokens: list[Token], lines: list[str]) -> _Hole | None:
    """The first fence or HTML block that is never closed, or that was meant to be closed before another fence."""
    for token in tokens:
        if token.level or token.map is None:
            continue
        if token.type == "fence":
            hole = _open_fence(token, lines)
        elif token.type == "html_block":
            hole = _open_html(token, lines)
        else:
            continue
        if hole is not None:
            return hole
    return None


def _open_fence(token: Token, lines: list[str]) -> _Hole | None:
    assert token.map is not None
    (start, end), mark = token.map, token.markup
    last = lines[end - 1].strip(" \t")
    closed = end - 1 > start and not last.strip(mark[0]) and len(last) >= len(mark)
    opening = next(_opens_too(token.content, mark), None)
    if closed and opening is None:
        return None
    shown_mark = mark if len(mark) < _LONG_MARK else mark[:_LONG_MARK] + "…"
    if opening is None:
        hint = f"close it with a line of {shown_mark}"
        message = f"fence {shown_mark} opened here is never closed"
        return _Hole(start, _next_section(lines, start + 1), "fence-unclosed", message, hint)
    resume = start + 1 + token.content.count("\n", 0, opening.start())
    resume = min(resume, _next_section(lines, start + 1))
    message = f"fence {shown_mark} opened here is still open on line {resume + 1}"
    hint = f"close it before that line, or open it with more than {len(opening[1])} {mark[0]}"
    return _Hole(start, resume, "fence-unclosed", message, hint)


def _open_html(token: Token, lines: list[str]) -> _Hole | None:
    assert token.map is not None
    content = token.content.lstrip(" ")
    for opens, closes in _HTML:
        match = opens.match(content)
        if match:
            if closes.search(content, match.end()):
                return None
            start = token.map[0]
            message = f"the HTML {match[0]} opened here is never closed, and hides what follows"
            resume = _next_section(lines, start + 1)
            return _Hole(start, resume, "html-unclosed", message, "close it, or put it into a fence")
    return None


def _next_section(lines: list[str], start: int) -> int:
    return next((index for index in range(start, len(lines)) if _SECTION.match(lines[index])), len(lines))


def _fence(start: int, end: int, info: str, content: str, lines: list[str]) -> Fence:
    info = info.strip(" \t")
    match = _LANGUAGE.match(info)
    assert match is not None
    rest = info[match.end() :].lstrip(" \t")
    return Fence(start, end, match[0], rest, lines[start].rfind(rest) + 1, content)


def _setext(end: int, lines: list[str], problems: Problems) -> None:
    mark = lines[end - 1].strip()[:3]
    message = f"the line of {mark} makes a heading of the lines above it"
    problems.add(end, "setext-heading", message, f"leave a blank line before {mark}, or write the heading with #")
