"""CMake, Meson and configure scripts: errors before anything is compiled, with what says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Line, Stream

NAME = "cmake"
ABOUT = "CMake, Meson, configure: errors before anything is compiled"
EXAMPLE = """\
CMake Error at CMakeLists.txt:6 (find_package):
  Could not find a package configuration file provided by "fmt" (requested
  version 9) with any of the following names:

    fmtConfig.cmake
"""

_HEAD = re.compile(
    r"CMake (?P<what>(?:Internal )?Error|Warning|Deprecation Warning)(?: \(dev\))?"
    r"(?: (?:at|in) (?P<file>[^\s:][^:\n]{0,500})(?::(?P<line>\d{1,7}))?(?: \((?P<function>\w{1,100})"
    r"\))?)?:? ?(?P<message>.*)$"
)
_CALL = re.compile(r"\s+(?P<file>[^\s:][^:\n]{0,500}):(?P<line>\d{1,7}) \((?P<function>\w{1,100})\)$")
_TRAILER = re.compile(
    r"-- Configuring incomplete, errors occurred!|CMake Generate step failed\.|CMake Configure step failed\."
)
_MESON = re.compile(r"(?P<file>\S{0,400}meson\.build):(?P<line>\d{1,7}):\d{1,7}: ERROR: (?P<message>\S.*)$")
#: Of automake, about a file of the project as a whole.
_AUTOMAKE = re.compile(
    r"(?P<file>(?:Makefile\.am|configure\.(?:ac|in)))(?::\d{1,7})?: error: (?P<message>required .*)$"
)
_CONFIGURE = re.compile(
    r"(?:\S{0,300}/)?(?P<type>configure(?:\.ac|\.in)?(?::\d{1,7})?: error|autoreconf: error|"
    r"CMake Fatal): (?P<message>\S.*)$"
)
_LONGEST = 80
_WIDEST = 12
#: How the message of autoconf's PKG_CHECK_MODULES begins, which has several paragraphs.
_PACKAGES = ("Package requirements (", "The pkg-config script could not be found")
_ADVICE = 16


def read(lines: Stream) -> Iterator[Find]:
    """One find per error; warnings of the same form claim their lines and are none."""
    index = 0
    while index < len(lines):
        # pip and others set what a build printed behind a margin of their own.
        text = lines[index].text
        margin = text[: min(len(text) - len(text.lstrip(" ")), _WIDEST)] if "CMake " in text[:40] else ""
        match = _HEAD.match(text.removeprefix(margin))
        if match is None:
            if other := _other(lines, index):
                yield other
            elif _TRAILER.match(text.strip()):
                yield spotted(NAME, "build", "CMake", text.strip(), lines[index], [lines[index]], weight=1)
            index += 1
            continue
        end, frames = _body(lines, index + 1, match, margin)
        message = match["message"].strip() or _message([line.text for line in lines[index + 1 : end]])
        find = spotted(
            NAME, "build", "CMake Error", message, lines[index], lines[index:end], language="cmake", frames=frames
        )
        if "Warning" in match["what"]:
            find.harmless = "a warning of CMake"
        if message or find.harmless:
            yield find
        index = end


def _other(lines: Stream, index: int) -> Find | None:
    """What Meson or a configure script says on the line at `index`."""
    line = lines[index]
    if meson := _MESON.match(line.text.strip()):
        frame = Frame(meson["file"], "", int(meson["line"]))
        return spotted(
            NAME, "build", "ERROR", meson["message"], line, [line], language="make", frames=(frame,), weight=1
        )
    if automake := _AUTOMAKE.match(line.text):
        frames = (Frame(automake["file"], ""),)
        return spotted(NAME, "build", "error", automake["message"], line, [line], language="make", frames=frames)
    if configure := _CONFIGURE.match(line.text.strip()):
        block = [line, *_packages(lines, index)] if configure["message"].startswith(_PACKAGES) else [line]
        find = spotted(NAME, "build", "configure: error", configure["message"], line, block, language="make", weight=1)
        if find.message.startswith("in `"):
            find.harmless = "it names the folder of the error on the next line"
        return find
    return None


def _packages(lines: Stream, index: int) -> list[Line]:
    """What pkg-config's macro says below its first line: which package it is, and what to do."""
    body = lines[index + 1 : index + 1 + _ADVICE]
    ends = [
        place for place, line in enumerate(body) if line.text.startswith(("See the pkg-config", "To get pkg-config"))
    ]
    if ends:
        return body[: ends[0] + 1]
    end = next((place for place, line in enumerate(body) if place and not line.text.strip()), 0)
    return body[:end]


def _body(lines: Stream, index: int, head: re.Match[str], margin: str) -> tuple[int, tuple[Frame, ...]]:
    """The index after the indented body, and the frames of its call stack, outermost first."""
    start = index
    frames = [Frame(head["file"], head["function"] or "", int(head["line"] or 0))] if head["file"] else []
    if not head["file"]:
        return index, ()
    calls = False
    while index < len(lines) and index - start < _LONGEST:
        text = lines[index].text.removeprefix(margin)
        if text.startswith("Call Stack (most recent call first):"):
            calls = True
        elif call := (_CALL.match(text) if calls else None):
            frames.append(Frame(call["file"], call["function"], int(call["line"])))
        elif text.strip() and not text.startswith("  "):
            break
        index += 1
    while index > start and not lines[index - 1].text.strip():
        index -= 1
    return index, tuple(reversed(frames))


def _message(body: list[str]) -> str:
    """The first paragraph line by line, one that ends in a colon together with what it announces."""
    paragraphs: list[list[str]] = [[]]
    for text in body:
        if text.lstrip().startswith("Call Stack"):
            break
        if text.strip():
            paragraphs[-1].append(text.strip())
        elif paragraphs[-1]:
            paragraphs.append([])
    first = paragraphs[0]
    if len(first) == 1 and first[0].endswith(":") and len(paragraphs) > 1 and paragraphs[1]:
        return f"{first[0]} {paragraphs[1][0]}"
    if len(first) == 1 and first[0][-1:].isalpha() and len(paragraphs) > 2 and paragraphs[2]:
        # A sentence in which a name is set apart: `The source directory`, its path, `does not contain …`.
        return " ".join([first[0], *paragraphs[1], *paragraphs[2]])
    return "\n".join(first)
