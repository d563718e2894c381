"""Tests of the JVM as their runners tell of them: Gradle's short form, Ant's report, JUnit 5's summary."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "jvm-tests"
ABOUT = "Gradle, Ant and JUnit's platform: the tests that failed, by name"
EXAMPLE = """\
LedgerTest > closesTheBooks() FAILED
    java.lang.IllegalStateException at LedgerTest.java:48
"""

_GRADLE = re.compile(r"(?P<test>\S.{0,400}? > \S.{0,400}?) FAILED$")
_SHORT = re.compile(r"\s{2,8}(?P<type>[\w.$]{1,300}) at (?P<file>[\w.$-]{1,200}):(?P<line>\d{1,7})$")
_SUITE = re.compile(r"Testsuite: (?P<suite>[\w.$]{1,300})$")
_CASE = re.compile(r"Testcase: (?P<test>\S.{0,300}?)(?:\([\w.$]{1,300}\))?(?: took .{1,40}|:.*)?$")
_MARK = re.compile(r"\s+(?:FAILED|Caused an ERROR)$")
_JUPITER = re.compile(r"\s+JUnit (?:Jupiter|Vintage|Platform Suite):(?P<test>\S.{0,400})$")
_ARROW = re.compile(r"\s+=> (?P<type>[\w.$]{1,300}?)(?:: (?P<message>.*))?$")
_TYPED = re.compile(r"(?P<type>(?:[\w$]{1,100}\.){1,20}[\w$]{1,100})(?:: (?P<message>.*))?$")
#: The platform's summary prints frames without `at`.
_FRAME = re.compile(
    r"\s+(?:at )?(?P<function>[\w.$<>]{1,400})\((?:(?P<file>[\w.$-]{1,200}\.\w{2,6})(?::(?P<line>\d{1,7}))?|"
    r"Native Method|Unknown Source)\)$"
)
_NEAR = 4
_LONGEST = 200


def read(lines: Stream) -> Iterator[Find]:
    """One find per failed test; a report with a whole stack trace belongs to the reader of Java."""
    suite, test, named = "", "", 0
    for index, line in enumerate(lines):
        text = line.text
        if match := _SUITE.match(text):
            suite = match["suite"]
        elif match := _CASE.match(text):
            test, named = f"{suite}.{match['test']}" if suite else match["test"], index
        elif test and _MARK.match(text):
            yield _ant(lines, named, index, test)
            test = ""
        elif text.endswith(" FAILED") and (match := _GRADLE.match(text)) and (find := _gradle(lines, index, match)):
            yield find
        elif match := _JUPITER.match(text):
            find = _platform(lines, index, match["test"])
            if find is not None:
                yield find


def _gradle(lines: Stream, index: int, match: re.Match[str]) -> Find | None:
    short = _SHORT.match(lines[index + 1].text) if index + 1 < len(lines) else None
    if short is None:
        return None
    test = match["test"].replace(" > ", ".")
    frame = Frame(short["file"], test, int(short["line"]))
    return spotted(
        NAME,
        "test",
        short["type"],
        "",
        lines[index + 1],
        lines[index : index + 2],
        language="java",
        frames=(frame,),
        notes=(test,),
    )


def _ant(lines: Stream, named: int, index: int, test: str) -> Find:
    """Below the mark stands the message; a stack trace with its type may follow, which says more."""
    below = lines[index + 1] if index + 1 < len(lines) else lines[index]
    said = below.text.strip()
    for place in range(index + 1, min(index + _NEAR, len(lines))):
        line = lines[place]
        if typed := _TYPED.match(line.text.strip()):
            frames, end = _stack(lines, place + 1)
            message = typed["message"] or said
            return spotted(
                NAME,
                "test",
                typed["type"],
                message,
                line,
                lines[named:end],
                language="java",
                frames=frames,
                notes=(test,),
            )
    block = lines[named : index + 2]
    return spotted(NAME, "test", "AssertionError", said, below, block, language="java", notes=(test,))


def _platform(lines: Stream, index: int, test: str) -> Find | None:
    for place in range(index + 1, min(index + _NEAR, len(lines))):
        arrow = _ARROW.match(lines[place].text)
        if arrow is not None:
            frames, end = _stack(lines, place + 1)
            name, message = arrow["type"], arrow["message"] or ""
            block = lines[index:end]
            return spotted(
                NAME, "test", name, message, lines[place], block, language="java", frames=frames, notes=(test,)
            )
    return None


def _stack(lines: Stream, index: int) -> tuple[tuple[Frame, ...], int]:
    """The frames from `index` on, with or without the word `at`, outermost first, and the index after them."""
    frames: list[Frame] = []
    end = index
    while end < len(lines) and end - index < _LONGEST:
        match = _FRAME.match(lines[end].text)
        if match is not None:
            frames.append(Frame(match["file"] or "", match["function"], int(match["line"] or 0)))
        elif lines[end].text.strip() != "[...]":
            break
        end += 1
    return tuple(reversed(frames)), end
