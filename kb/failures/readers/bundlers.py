"""Bundlers of JavaScript: webpack, Rollup, Vite, esbuild, Parcel."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "bundlers"
ABOUT = "webpack, Rollup, Vite, esbuild, Parcel: imports that do not resolve, files that do not parse"
EXAMPLE = """\
ERROR in ./src/index.js 1:0-36
Module not found: Error: Can't resolve './prices.js' in '/srv/cart/src'

webpack 5.113.0 compiled with 1 error in 212 ms
"""

_WEBPACK = re.compile(r"(?:ERROR|error) in (?P<file>\S{1,500})(?: (?P<line>\d{1,7})[:\d-]{0,40}| multi .*)?$")
_WEBPACK_END = re.compile(r"webpack \S{1,40} compiled with \d{1,6} errors?|webpack compiled with \d{1,6} errors?")
_VITE = re.compile(r"(?:error during build:|\[vite\] Internal server error:)\s*(?P<message>.*)$")
_ROLLUP = re.compile(r"\[!\] (?:\((?P<plugin>[^)\n]{1,100})\) )?(?P<type>\w{0,40}Error): (?P<message>\S.*)$")
_PLACED = re.compile(r"(?P<file>[^\s(]{1,500}) \((?P<line>\d{1,7}):\d{1,7}\): (?P<message>\S.*)$")
_ROLLDOWN = re.compile(r"(?:\[(?P<code>[A-Z_]{3,60})\] |Error: )(?P<message>\S.*)$")
_BOX = re.compile(r"\s{1,6}╭─\[ ?(?P<file>\S{1,500}):(?P<line>\d{1,7}):\d{1,7} ?\]")
_ESBUILD = re.compile(r"(?:✘|X) \[ERROR\] (?P<message>\S.*?)(?: \[plugin (?P<plugin>[^\]\n]{1,100})\])?$")
_ESBUILD_PLACE = re.compile(r"\s{4}(?P<file>\S{1,500}):(?P<line>\d{1,7}):\d{1,7}:$")
_PARCEL = re.compile(r"🚨 Build failed\.$")
_PARCEL_SAID = re.compile(r"(?P<plugin>@?[\w-]{1,100}/[\w-]{1,100}): (?P<message>\S.*)$")
_WEBPACK_CONFIG = re.compile(
    r"\[webpack-cli\] (?:✖ )?(?P<message>Invalid (?:configuration|options) object\..*|Failed to load .*|Error: .*)$"
)
_ITEM = re.compile(r" - (?P<message>\S.*)$")
_STACK = re.compile(r"\s{2,8}at ")
_NAMED = re.compile(r"(?:Module (?:not found|build failed|parse failed|Error)(?: \(from .{1,300}\))?: )")
_REPORT = 120


def read(lines: Stream) -> Iterator[Find]:
    """One find per error of a bundler, which claims the explanation, the source and the bundler's own stack."""
    for index, line in enumerate(lines):
        text = line.text.strip()
        if (match := _WEBPACK.match(text)) is not None and index + 1 < len(lines):
            found = _webpack(lines, index, match)
            if found is not None:
                yield found
        elif (vite := _VITE.match(text)) is not None:
            yield from _vite(lines, index, vite["message"])
        elif (rollup := _ROLLUP.match(text)) is not None:
            yield _rollup(lines, index, rollup["type"], rollup["message"], index)
        elif (built := _ESBUILD.match(text)) is not None:
            yield _esbuild(lines, index, built["message"])
        elif _PARCEL.match(text):
            yield from _parcel(lines, index)
        elif (config := _WEBPACK_CONFIG.match(text)) is not None:
            yield _configuration(lines, index, config["message"])
        elif _WEBPACK_END.match(text):
            find = spotted(NAME, "build", "webpack", text, line, [line], language="javascript", weight=2)
            find.cascade = "webpack counts the errors above"
            yield find


def _webpack(lines: Stream, at: int, match: re.Match[str]) -> Find | None:
    said = lines[at + 1]
    if re.match(r"(?:\[tsl\]|TS\d+:)", said.text.strip()) or not said.text.strip():
        # The TypeScript reader has these.
        return None
    end = _end(lines, at + 1)
    head = _NAMED.match(said.text.strip())
    name = head[0].rstrip(": ").partition(" (from")[0] if head else "error"
    message = said.text.strip()[head.end() :] if head else said.text.strip()
    if name == "Module build failed" and at + 2 < end:
        # The loader's own message stands on the next line.
        said = lines[at + 2]
        message = said.text.strip()
    frame = Frame(match["file"], "", int(match["line"] or 0))
    return spotted(
        NAME, "build", name, re.sub(r" \(\d{1,7}:\d{1,7}\)$", "", message.removeprefix("Error: ")), said, lines[at:end],
        language="javascript", frames=(frame,),
    )  # fmt: skip


def _end(lines: Stream, start: int) -> int:
    """The index after a report: up to an empty line that no stack and no source follows."""
    index = start
    while index < len(lines) and index - start < _REPORT:
        text = lines[index].text
        if not text.strip():
            following = lines[index + 1].text if index + 1 < len(lines) else ""
            if not (_STACK.match(following) or re.match(r"\s{0,4}>?\s{0,4}\d{1,7}\s?[:|│]|file: ", following)):
                break
        elif _WEBPACK.match(text.strip()) and index > start:
            break
        index += 1
    return index


def _vite(lines: Stream, at: int, said: str) -> Iterator[Find]:
    where = at
    if not said:
        where = at + 1
        while where < min(at + 6, len(lines)) and (
            not lines[where].text.strip() or lines[where].text.startswith("Build failed with")
        ):
            where += 1
        if where >= len(lines):
            return
        said = lines[where].text.strip()
    yield _rollup(lines, where, "error", said, at)


def _rollup(lines: Stream, where: int, name: str, said: str, begin: int) -> Find:
    """Rollup's message, with its place in it, or below it as a `file:` line or a box."""
    frames: tuple[Frame, ...] = ()
    message = said
    placed = _PLACED.match(said)
    coded = _ROLLDOWN.match(said)
    if placed is not None:
        frames = (Frame(placed["file"], "", int(placed["line"])),)
        message = placed["message"]
    elif coded is not None:
        name, message = coded["code"] or "Error", coded["message"]
    end = _end(lines, where)
    for line in lines[where + 1 : where + 3]:
        box = _BOX.match(line.text)
        if box is not None:
            frames = (Frame(box["file"], "", int(box["line"])),)
    message = message.removeprefix("[vite]: ").removeprefix("[vite] ")
    return spotted(NAME, "build", name, message, lines[where], lines[begin:end], language="javascript", frames=frames)


def _esbuild(lines: Stream, at: int, message: str) -> Find:
    frames: tuple[Frame, ...] = ()
    end = at + 1
    for index in range(at + 1, min(at + 12, len(lines))):
        place = _ESBUILD_PLACE.match(lines[index].text)
        if place is not None:
            frames = (Frame(place["file"], "", int(place["line"])),)
            end = min(index + 3, len(lines))
            break
    return spotted(NAME, "build", "[ERROR]", message, lines[at], lines[at:end], language="javascript", frames=frames)


def _parcel(lines: Stream, begin: int) -> Iterator[Find]:
    """The first of what Parcel's parts say: those after it are about the same."""
    for index in range(begin + 1, min(begin + 8, len(lines))):
        said = _PARCEL_SAID.match(lines[index].text)
        if said is not None:
            block = lines[begin : _end(lines, index)]
            yield spotted(NAME, "build", said["plugin"], said["message"], lines[index], block, language="javascript")
            return


def _configuration(lines: Stream, at: int, message: str) -> Find:
    """What webpack finds wrong in its configuration: the first of the items it lists."""
    item = _ITEM.match(lines[at + 1].text) if at + 1 < len(lines) else None
    block, said = lines[at : at + 2 if item else at + 1], lines[at + 1 if item else at]
    name = "webpack configuration" if item else "webpack"
    text = item["message"] if item else message.removeprefix("Error: ")
    return spotted(NAME, "build", name, text, said, block, language="javascript")
