"""Linkers (GNU ld, gold, lld, mold, Apple's) and the loader that starts a program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.native_frames import bare_name
from kb.failures.streams import Stream

NAME = "linkers"
ABOUT = "Linkers: missing and doubled symbols, missing libraries; the loader's missing libraries and versions"
EXAMPLE = """\
/usr/bin/ld: build/main.o: in function `main':
main.cpp:(.text+0x36): undefined reference to `parse_header(char const*)'
collect2: error: ld returned 1 exit status
"""

_TOOL = (
    r"(?:(?:\S{0,300}/)?(?:[\w.]{1,30}-){0,4}(?:ld|lld|lld-link|ld64|wasm-ld|mold|gold)(?:\.\w{1,10})?(?:-\d{1,3})?: )"
)
#: What linkers say is missing or doubled; places stand before it, which end in a colon or a bracket.
_SYMBOL = re.compile(
    r"(?:^|[:)]\s?|error: )(?P<message>(?P<type>undefined (?:reference|symbol|hidden symbol|"
    r"protected symbol)|multiple definition|duplicate symbol)"
    r"(?::| to| of) ?(?P<symbol>\S.*))$"
)
_LIBRARY = re.compile(
    rf"{_TOOL}(?:error: |fatal error: )?(?P<message>(?P<type>cannot find|unable to find library|"
    rf"library not found|cannot open|"
    r"file not found|framework not found|library '[^'\n]{1,200}' not found)\b.*)$"
)
_OTHER = re.compile(
    rf"{_TOOL}(?:\S{{1,400}}: )?(?:error: |fatal error: )?(?P<message>(?P<type>relocation (?:truncated|"
    rf"R_\w+)|DSO missing|final link failed|"
    r"undefined version|version node not found|failed to convert|symbol\(s\) not found|file format not recognized|"
    r"file in wrong format|section \S{1,100} will not fit|region \S{1,100} overflowed|architecture of input file)\b.*)$"
)
_ERROR = re.compile(rf"{_TOOL}(?P<type>error|fatal error): (?P<message>\S.*)$")
_IN_FUNCTION = re.compile(
    rf"{_TOOL}?(?P<file>[^\s:]\S{{0,400}}?): ?in function [`‘'](?P<function>[^\n]{{1,800}}?)['’]:$", re.IGNORECASE
)
_APPLE = re.compile(
    r"(?P<type>Undefined symbols) for architecture \S{1,20}:$|"
    r"(?P<double>duplicate symbol) '(?P<name>[^'\n]{1,500})' in:$"
)
_APPLE_SYMBOL = re.compile(r'\s+"(?P<symbol>[^"\n]{1,800})", referenced from:$')
_MORE = re.compile(r">>> |\s+\S{1,400}\.(?:o|a|obj|dylib|tbd)(?:\(|$)|\s+_?\S{1,400} in \S")
_LOADER = re.compile(
    r"(?:[^\n:]{1,400}: )??(?P<message>(?P<type>error while loading shared libraries|"
    r"symbol lookup error|relocation error): .+"
    r"|(?:/\S{1,400}|lib\S{1,100}): version [`'‘][^'’\n]{1,80}['’] not found \(required by \S{1,400}\)"
    r"|Library not loaded: \S.*|Symbol not found: \S.*)$"
)
_MOST = 50

#: Sources by which a build finds out what there is.
_PROBE = re.compile(r"\b(?:_configtest|conftest)\.[co]\b")


def read(lines: Stream) -> Iterator[Find]:
    """One find per symbol or library; further mentions of it join the first."""
    seen: dict[tuple[str, str], Find] = {}
    function = Frame("", "")
    for index, line in enumerate(lines):
        text = line.text.strip(" \t│")
        if len(text) > 20_000:
            continue
        if inside := _IN_FUNCTION.match(text):
            function = Frame(inside["file"].rsplit("/", 1)[-1], bare_name(inside["function"]))
            continue
        said = _said(lines, index, text)
        if said is None:
            continue
        name, message, end = said
        block = lines[index:end]
        frames = (function,) if function.function and index and "in function" in lines[index - 1].text.lower() else ()
        before = seen.get((name, message))
        if before is not None:
            before.lines.update(part.number for part in block)
        elif len(seen) < _MOST:
            find = spotted(NAME, "build", name, message, line, block, language="c", frames=frames)
            if _PROBE.search(text):
                find.harmless = "a configure check tried whether this links"
            if frames:
                find.first = lines[index - 1].number
                find.lines.add(find.first)
            seen[name, message] = find
            yield find


def _said(lines: Stream, index: int, text: str) -> tuple[str, str, int] | None:
    """Type, message, and the index after the report that begins at `index`; None when no linker speaks there."""
    if ": warning: " in text or "skipping incompatible" in text:
        return None
    if apple := _APPLE.match(text):
        following = lines[index + 1].text if index + 1 < len(lines) else ""
        symbol = _APPLE_SYMBOL.match(following)
        named = apple["name"] or (symbol["symbol"] if symbol else "")
        kind = "undefined symbol" if apple["type"] else "duplicate symbol"
        return kind, f"{kind}: {named}", _end(lines, index + 1)
    if ("undefined " in text or "definition" in text or "duplicate" in text) and (match := _SYMBOL.search(text[:4000])):
        message = match["message"].partition("; ")[0] if match["type"] == "multiple definition" else match["message"]
        return match["type"], message, _end(lines, index + 1)
    for shape in (_LIBRARY, _OTHER, _ERROR):
        if match := shape.match(text):
            return match["type"], match["message"], _end(lines, index + 1)
    if ("shared librar" in text or "lookup error" in text or " not found" in text or "not loaded" in text) and (
        match := _LOADER.match(text)
    ):
        return match["type"] or "loader", match["message"], index + 1
    return None


def _end(lines: Stream, index: int) -> int:
    start = index
    while index < len(lines) and index - start < 40 and _MORE.match(lines[index].text):
        index += 1
    return index
