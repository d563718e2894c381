"""Jest, Vitest, Mocha and Playwright: failing tests with the error, the asserting line and the program's own frames."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import TIDYING, Find, first_said, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "js-tests"
ABOUT = "Jest, Vitest, Mocha, Playwright: failing tests"
EXAMPLE = """\
FAIL ./total.test.js
  ● total › reads the currency

    TypeError: Cannot read properties of undefined (reading 'toUpperCase')

      at toUpperCase (total.js:2:48)
      at Object.load (total.test.js:4:38)
"""

_JEST = re.compile(r"\s{2}● (?P<test>\S.{0,500})$")
_VITEST = re.compile(
    r"\s(?P<fail>FAIL)\s{1,3}(?P<test>\S.{0,500}? > .{1,500}|\S{1,300}\.(?:m|c)?[jt]sx?(?: \[ .{1,300} \])?)$"
)
_PLAYWRIGHT = re.compile(
    r"\s{2}(?P<number>\d{1,4}\)) (?P<test>(?:\[\w[^\]]{0,60}\] › )?\S{1,300}:\d{1,7}:\d{1,7} › .{1,300}?) ─{3,200}$"
)
_MOCHA = re.compile(r"\s{2}(?P<number>\d{1,4}\)) (?P<test>\S.{0,500})$")
_ERROR = re.compile(
    r"\s*(?:Uncaught )?(?P<type>[A-Za-z_$][\w$.]{0,100}(?:Error|Exception|Failed|Timeout|"
    r"Rejection)\w{0,30})(?: \[(?P<code>\w{1,80})\])?: (?P<message>\S.*)$"
)
_FRAME = re.compile(
    r"\s+(?:at |❯ )(?:async )?(?:(?P<function>[^\s(][^(\n]{0,200}?) )?\(?(?P<file>(?:file://|node:|"
    r"[\w@./\\:-])[^\s()]{0,400}?):(?P<line>\d{1,7}):\d{1,7}\)?$"
)
_MARKED = re.compile(r"\s*(?:>|❯)\s*\d{1,7}\s?\| ?(?P<source>.*)$")
_NUMBERED = re.compile(r"\s*\d{1,7}\s?\|")
_END = re.compile(
    r"Test Suites: |\s*Test Files  |⎯{20}|Snapshots: |(?:PASS|FAIL) \S|\sLOGGING RETRY ERRORS|\s{2}\d{1,4}\) \S"
    # what a runner of jobs says next
    r"|Exited with code |Post job cleanup|The command \"|##\[|section_(?:start|end):|\[Pipeline\]"
)
_PLUMBING = re.compile(r"node_modules|^node:|internal/|jest-|vitest|mocha")
_HINT = re.compile(
    r"(?:expect\(|Expected|Received|Error: |Cannot find|Test suite failed|thrown|Exceeded timeout|"
    r"Snapshot|Unable to find|expected )"
)
_LONGEST = 150
#: How Mocha names a hook that runs after tests.
_AFTER = re.compile(r"\"after (?:all|each)\" hook\b")

#: Over what the tests of a file printed.
_PRINTED = "Console"


def read(lines: Stream) -> Iterator[Find]:
    """One find per failing test; a test that the summary repeats is told once."""
    seen: dict[str, Find] = {}
    mocha = any(line.text.strip().endswith(" failing") for line in lines)
    index = 0
    while index < len(lines):
        text = lines[index].text
        match = (
            _JEST.match(text)
            or _VITEST.match(text)
            or _PLAYWRIGHT.match(text)
            or (_MOCHA.match(text) if mocha else None)
        )
        if match is None or match["test"] == _PRINTED:
            index += 1
            continue
        end = _end(lines, index + 1, match.re is _JEST)
        find = _failure(lines, index, end, match)
        if find is not None and first_said(seen, match["test"] + find.type + find.message, find):
            yield find
        index = end if find is not None else index + 1


def _end(lines: Stream, index: int, jest: bool) -> int:
    start = index
    while index < len(lines) and index - start < _LONGEST:
        text = lines[index].text
        if _END.match(text) or (jest and _JEST.match(text)) or _VITEST.match(text):
            break
        index += 1
    while index > start and not lines[index - 1].text.strip():
        index -= 1
    return index


def _failure(lines: Stream, index: int, end: int, match: re.Match[str]) -> Find | None:
    body = lines[index + 1 : end]
    at = next((i for i, line in enumerate(body) if _ERROR.match(line.text)), None)
    typed = _ERROR.match(body[at].text) if at is not None else None
    frames = _frames([line.text for line in body])
    source = _source([line.text for line in body])
    if typed is None:
        at = _told(body)
        if at is None:
            # The list of results above the reports has the same form, without any error.
            return None
    asserts = typed is None and re.search(r"expect\(|Expected|Received|Snapshot|expected ", body[at or 0].text)
    name = typed["type"] if typed else "AssertionError" if asserts else "Error"
    first = typed["message"].strip() if typed else body[at or 0].text.strip()
    if match.re is _PLAYWRIGHT:
        first = first.removeprefix("Error: ")
    if first.startswith("Test suite failed to run"):
        return None
    details = [line.text.strip() for line in body[(at or 0) + 1 :] if line.text.strip() and not _dull(line.text)][:8]
    message = "\n".join([first, *details])
    if "ssertion" in name and source and not _cut_source(frames, source):
        # The values differ from run to run; what was asserted stands in the source line.
        frames = (*frames[:-1], Frame(frames[-1].file, frames[-1].function, frames[-1].line, source)) if frames else ()
        message = "\n".join([source, first, *details]) if frames else message
    test = match["test"].strip()
    if match.re is _MOCHA:
        name_lines = [line.text.strip().rstrip(":") for line in body[: at or 0] if line.text.strip()]
        test = " ".join([test, *name_lines])
    if frames and (not frames[-1].function or "anonymous" in frames[-1].function):
        # A test's own function has no name: the test's takes its place.
        frames = (*frames[:-1], Frame(frames[-1].file, _title(test), frames[-1].line, frames[-1].source))
    find = spotted(
        NAME,
        "test",
        name,
        message,
        body[at or 0],
        lines[index:end],
        language="javascript",
        frames=frames,
        notes=(test[:300],),
    )
    if _AFTER.search(test):
        find.aside = TIDYING
    return find


def _told(body: Stream) -> int | None:
    """The place of the message of an error without a type: never in the source that is shown below it."""
    said = [i for i, line in enumerate(body) if line.text.strip() and not _dull(line.text)]
    hinted = next((i for i in said if _HINT.search(body[i].text)), None)
    if hinted is None and said and any(_MARKED.match(line.text) for line in body):
        return said[0]
    return hinted


def _title(test: str) -> str:
    """A test's title without its file, and without points: what follows the last one would pass for a method's name."""
    return (test.partition(" > ")[2] or test).replace(".", " ").strip()


def _cut_source(frames: tuple[Frame, ...], source: str) -> bool:
    """Whether the marked source cannot be tied to a frame: there is none, or the excerpt was cut."""
    return not frames or source.endswith("…")


def _dull(text: str) -> bool:
    return bool(_FRAME.match(text) or _NUMBERED.match(text) or _MARKED.match(text) or set(text.strip()) <= set("|^~ ⎯"))


def _frames(body: list[str]) -> tuple[Frame, ...]:
    """The frames outermost first, the test runner's own left out where others are there."""
    found = [
        Frame(match["file"], (match["function"] or "").strip(), int(match["line"]))
        for text in body
        if (match := _FRAME.match(text))
    ]
    own = [frame for frame in found if not _PLUMBING.search(frame.file)]
    return tuple(reversed(own or found))


def _source(body: list[str]) -> str:
    """The asserting line as the excerpt marks it: with `>`, or in Vitest by a caret under it."""
    for index, text in enumerate(body):
        if match := _MARKED.match(text):
            return match["source"].strip()[:500]
        if index and text.strip().startswith("|") and text.strip().endswith("^") and _NUMBERED.match(body[index - 1]):
            return body[index - 1].partition("|")[2].strip()[:500]
    return ""
