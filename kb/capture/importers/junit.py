"""JUnit XML, as pytest, Maven Surefire, Gradle and most other test runners write it.

Read event by event with expat: nothing is built of it in memory, a document type is refused (entities grow without
bound), and what stands before a cut is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from kb.capture.importers.reports import FailedTest, printed
from kb.capture.importers.source import Source, moment
from kb.capture.importers.told import Saw, Story

_ROOT = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>)?(?:\s|<!--.{0,2000}?-->){0,20}<testsuites?[\s>]", re.DOTALL
)
_BAD = {"failure", "error", "flakyFailure", "flakyError", "rerunFailure", "rerunError"}
#: pytest writes characters that XML does not allow as #x and their number.
_NUMBERED = re.compile(r"#x([0-9A-F]{2,4})(?=\[|\b)")
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,20}m")
_LONGEST_TEXT = 1 << 20


@dataclass
class _Reading:
    """What was met so far."""

    failed: list[FailedTest] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    test: dict[str, str] = field(default_factory=dict)
    state: str = "passed"
    bad: str = ""
    text: list[str] = field(default_factory=list)
    size: int = 0
    started: str = ""
    host: str = ""

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "testsuite":
            self.started = self.started or attributes.get("timestamp", "")
            self.host = self.host or attributes.get("hostname", "")
        elif tag == "testcase":
            self.test, self.state = attributes, "passed"
        elif tag == "skipped":
            self.state = "skipped"
        elif tag in _BAD:
            self.state = {"failure": "failed", "error": "errors"}.get(tag, "flaky")
            self.bad, self.text, self.size = tag, [], 0
            self.test["message"] = ": ".join(p for p in (attributes.get("type"), attributes.get("message")) if p)

    def characters(self, text: str) -> None:
        if self.bad and self.size < _LONGEST_TEXT:
            self.text.append(text)
            self.size += len(text)

    def end(self, tag: str) -> None:
        if tag in _BAD and self.bad:
            name = ".".join(part for part in (self.test.get("classname"), self.test.get("name")) if part) or "a test"
            text = "".join(self.text).strip("\n")
            message = self.test.get("message", "")
            shown = (
                text if message.strip() and message.split(": ", 1)[-1].split("\n")[0] in text else f"{message}\n{text}"
            )
            self.failed.append(FailedTest(name, _plain(shown.strip("\n"))))
            self.bad = ""
        elif tag == "testcase":
            self.counts[self.state] += 1


def knows(_path: Path, head: bytes) -> bool:
    """Whether the root element is that of a report."""
    return bool(_ROOT.match(head))


def read(source: Source) -> Story:
    """The failed tests of the report, and how many of each kind there are."""
    reading = _Reading()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reading.begin
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.characters
    parser.StartDoctypeDeclHandler = _refuse
    lost = []
    try:
        parser.Parse(source.data, True)
    except (expat.ExpatError, _RefusedError) as error:
        lost.append(f"what stands behind line {parser.CurrentLineNumber}: {error}")
        if reading.bad:
            reading.end(reading.bad)
    order = ("failed", "errors", "flaky", "passed", "skipped")
    counts = {what: reading.counts[what] for what in order}
    began = moment(reading.started) if reading.started else None
    return Story(
        (Saw(printed(reading.failed, counts), source.name),),
        started=began,
        lost=tuple(lost),
        unknown=("which command ran the tests: a report does not say",),
    )


class _RefusedError(ValueError):
    """A document type was met."""


def _refuse(*_: object) -> None:
    raise _RefusedError("a document type is not read")


def _plain(text: str) -> str:
    return _COLOURS.sub("", _NUMBERED.sub(_character, text))


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return chr(code) if code < 32 or 127 <= code < 160 else found[0]
