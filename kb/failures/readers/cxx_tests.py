"""GoogleTest, Catch2 and CTest: failing checks by what they check, failing tests by name when nothing else is left."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "cxx-tests"
ABOUT = "GoogleTest, Catch2, CTest: failing tests"
EXAMPLE = """\
[ RUN      ] Shapes.Area
units.cpp:4: Failure
Expected equality of these values:
  area(3, 4)
    Which is: 7
  12
[  FAILED  ] Shapes.Area (0 ms)
"""

_RUN = re.compile(r"\[ RUN      \] (?P<test>\S+)")
_FAILURE = re.compile(
    r"(?P<file>[^\s:][^:\n]{0,400}|unknown file)(?:[:(](?P<line>\d{1,7})\)?)?: (?:Failure(?=\s*$)|"
    r"error: (?=Expected|Value of))\s*(?P<rest>.*)$"
)
_FAILED = re.compile(r"\[  FAILED  \] (?P<test>[\w/.<>-]{1,300})")
_CXX = re.compile(r'C\+\+ exception with (?:description "(?P<message>.*)" thrown|unknown type|description) ?.*$')
_CATCH = re.compile(r"(?P<file>[^\s:][^:\n]{0,400}):(?P<line>\d{1,7}): FAILED:$")
_CTEST = re.compile(
    r"\t\s*\d{1,6} - (?P<test>\S.{0,300}?) \((?P<why>Failed|SEGFAULT|Timeout|Not Run|"
    r"Subprocess \w{1,30}|ILLEGAL|NUMERICAL|OTHER_FAULT|Child \w{1,30}|BAD_COMMAND)\)"
)
_CTEST_RUN = re.compile(
    r"\s*\d{1,6}/\d{1,6} Test\s+#\d{1,6}: (?P<test>\S.{0,200}?) \.*\s*\*\*\*(?P<why>Exception: \w+|"
    r"Timeout|Not Run|Failed)"
)
_SIGNALS = {"SEGFAULT": "SIGSEGV", "ILLEGAL": "SIGILL", "NUMERICAL": "SIGFPE", "Exception: SegFault": "SIGSEGV"}
_LONGEST = 60


def read(lines: Stream) -> Iterator[Find]:
    """One find per failing check; a test that failed without one is told by the list at the end."""
    found = False
    test = ""
    told: set[str] = set()
    for index, line in enumerate(lines):
        text = line.text
        if run := _RUN.match(text):
            test = run["test"]
        elif (match := _FAILURE.match(text)) or (match := _CATCH.match(text)):
            find = _check(lines, index, match, test) if match.re is _FAILURE else _catch(lines, index, match)
            if find is not None:
                found = True
                yield find
        elif (listed := _CTEST_RUN.match(text)) or (listed := _CTEST.match(text)):
            if listed["test"] not in told:
                told.add(listed["test"])
                name = _SIGNALS.get(listed["why"], "ctest")
                plain = listed["why"] == "Failed"
                why = listed["why"].removeprefix("Exception: ")
                yield spotted(
                    NAME,
                    "test-name",
                    name,
                    f"{listed['test']} ({why})",
                    line,
                    [line],
                    notes=(listed["test"],),
                    weight=2 if plain else 1,
                )
        elif (failed := _FAILED.match(text)) and not found and failed["test"] not in told and "." in failed["test"]:
            told.add(failed["test"])
            yield spotted(NAME, "test-name", "gtest", failed["test"], line, [line], notes=(failed["test"],), weight=2)


def _check(lines: Stream, index: int, match: re.Match[str], test: str) -> Find:
    end = index + 1
    while end < len(lines) and end - index < _LONGEST:
        text = lines[end].text
        if not text.strip() or text.startswith(("[ ", "[--", "[==")) or _FAILURE.match(text):
            break
        end += 1
    texts = [line.text.rstrip() for line in lines[index + 1 : end]]
    if match["rest"]:
        texts.insert(0, match["rest"].strip())
    body = [text.strip() for text in texts]
    # What is checked is source: its numbers are no data of this run.
    kind, name, message = "test", "Failure", _asserted(texts)
    for part in body[:3]:
        if thrown := _CXX.match(part):
            kind, name, message = "check", "C++ exception", thrown["message"] or part
    frame = Frame(match["file"], test, int(match["line"] or 0), message if kind == "test" else "")
    return spotted(
        NAME,
        kind,
        name,
        "\n".join([message, *body[:20]]),
        lines[index],
        lines[index:end],
        language="c++",
        frames=(frame,),
        notes=(test,) if test else (),
    )


def _asserted(body: list[str]) -> str:
    """What was checked, on one line: the expressions, never the values of this run."""
    if not body:
        return ""
    if body[0].startswith("Expected equality of these values:"):
        sides = [text.strip() for text in body[1:6] if text.startswith("  ") and not text.startswith("    ")]
        return "Expected equality: " + " == ".join(sides)[:400]
    return body[0].strip()


def _catch(lines: Stream, index: int, match: re.Match[str]) -> Find:
    end = index + 1
    while end < len(lines) and end - index < _LONGEST and not lines[end].text.startswith(("---", "===")):
        end += 1
    while end > index + 1 and not lines[end - 1].text.strip():
        end -= 1
    body = [line.text.strip() for line in lines[index + 1 : end] if line.text.strip()]
    kind, name, message = "test", "FAILED", body[0] if body else ""
    if message.startswith("due to unexpected exception") and len(body) > 1:
        kind, name, message = "check", "unexpected exception", body[1]
    test = next((line.text.strip() for line in reversed(lines[max(index - 8, 0) : index]) if _title(line.text)), "")
    return spotted(
        NAME,
        kind,
        name,
        "\n".join([message, *body[1:20]]),
        lines[index],
        lines[index:end],
        language="c++",
        frames=(Frame(match["file"], test, int(match["line"]), message if kind == "test" else ""),),
        notes=(test,) if test else (),
    )


def _title(text: str) -> bool:
    return bool(text.strip()) and text[0] not in "-=.~ " and not re.match(r"\S+:\d+$", text)
