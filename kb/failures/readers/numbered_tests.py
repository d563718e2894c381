"""RSpec, minitest, PHPUnit and ExUnit: reports of failing tests, numbered below the run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kb.failures.found import TIDYING, Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "numbered-tests"
ABOUT = "RSpec, minitest, PHPUnit, ExUnit: failing tests"
EXAMPLE = """\
Failures:

  1) Basket adds
     Failure/Error: expect(basket.total).to eq 3

       expected: 3
            got: 2
     # ./spec/basket_spec.rb:4:in `block (2 levels) in <top (required)>'

1 example, 1 failure
"""

_LONGEST = 200
_MOST_SAID = 9
_TYPED = re.compile(r"(?P<type>[A-Z][\w:\\]{0,200}(?:Error|Exception|::E\w{2,40}|Failure)\w{0,30}): (?P<message>.*)$")


class _Tool(NamedTuple):
    """How a tool writes a report: its head, the line after it, its end, its frames, what an assertion's failure is."""

    language: str
    head: re.Pattern[str]
    second: re.Pattern[str]
    end: re.Pattern[str]
    frame: re.Pattern[str]
    asserted: str


_NEXT = r" {2}\d{1,6}\) \S|Finished in |\d{1,9} (?:runs|tests|examples?|tests?), |Failed examples:|Randomized with"
_TOOLS = (
    _Tool(
        "ruby",
        re.compile(r" {2}\d{1,6}\) (?P<test>\S.{0,500})$"),
        re.compile(r" {5}Failure/Error: ?(?P<source>.*)$"),
        re.compile(_NEXT),
        re.compile(r" {5}# (?P<file>\S.{0,500}?):(?P<line>\d{1,7})(?::in [`'](?P<function>.{1,300})')?$"),
        "RSpec::Expectations::ExpectationNotMetError",
    ),
    _Tool(
        "ruby",
        re.compile(r" {2}\d{1,6}\) (?:Failure|Error):$"),
        re.compile(r"(?P<test>\S{1,300}#[^\n\[]{1,300}?)(?: \[(?P<file>.{1,500}):(?P<line>\d{1,7})\])?:$"),
        re.compile(_NEXT),
        re.compile(r" {4}(?P<file>\S.{0,500}?):(?P<line>\d{1,7}):in [`'](?P<function>.{1,300})'$"),
        "Minitest::Assertion",
    ),
    _Tool(
        "elixir",
        re.compile(r" {2}\d{1,6}\) (?P<test>(?:test|property|doctest) .{1,500} \([\w.]{1,200}\))$"),
        re.compile(r" {5}(?P<file>\S{1,500}):(?P<line>\d{1,7})$"),
        re.compile(rf"{_NEXT}| {{2}}\* (?:test|property|doctest) |\S"),
        re.compile(
            r" {7}(?:\(\w{1,60} [\w.-]{1,40}\) )?(?P<file>\S{1,500}):(?P<line>\d{1,7}): (?P<function>\S.{0,300})$"
        ),
        "ExUnit.AssertionError",
    ),
    _Tool(
        "php",
        re.compile(r"\d{1,6}\) (?P<test>[\w\\]{1,300}::\w.{0,300})$"),
        re.compile(r"\S"),
        re.compile(r"\d{1,6}\) [\w\\]{1,300}::|--$|(?:ERRORS|FAILURES|WARNINGS)!$|Tests: \d"),
        re.compile(r"(?P<file>/\S.{0,500}?\.php):(?P<line>\d{1,7})(?P<function>)$"),
        "PHPUnit\\Framework\\ExpectationFailedException",
    ),
)
_RAISED = re.compile(r"\*\* \((?P<type>[\w.]{1,200})\) (?P<message>.*)$")
_OUTSIDE = "An error occurred "
_OUTSIDE_HEAD = 12
_OUTSIDE_END = re.compile(
    r"An error occurred |Finished in |No examples found|Run options: |Randomized with "
    r"|(?:Pending|Failures):(?: |$)"
)
_OUTSIDE_FRAME = re.compile(r"# (?P<file>\S.{0,500}?):(?P<line>\d{1,7})(?::in [`'](?P<function>.{1,300})')?$")
_CLASS = re.compile(r"(?P<type>[A-Z][\w:]{1,200}):$")
#: PHPUnit tells warnings and notices of PHP like failed assertions.
_PHP_ASSERTED = ("Failed asserting", "Expectation failed", "Method was expected")
_STACK = ("stacktrace:", "code:")


def read(lines: Stream) -> Iterator[Find]:
    """One find per report."""
    index = 0
    while index + 1 < len(lines):
        if lines[index].text.startswith(_OUTSIDE):
            find, index = _outside(lines, index)
            if find is not None:
                yield find
            continue
        tool, head, second = _begins(lines, index)
        if tool is None or head is None or second is None:
            index += 1
            continue
        end = index + 2
        while end < len(lines) and end - index < _LONGEST and not tool.end.match(lines[end].text):
            end += 1
        while not lines[end - 1].text.strip():
            end -= 1
        yield _find(lines, index, end, tool, head, second)
        index = end


def _outside(lines: Stream, index: int) -> tuple[Find | None, int]:
    """What RSpec tells of an error in a hook or in a file of tests, and the index after it."""
    at = index + 1
    while at < min(index + _OUTSIDE_HEAD, len(lines)) and not lines[at].text.startswith("Failure/Error:"):
        at += 1
    if at >= len(lines) or not lines[at].text.startswith("Failure/Error:"):
        return None, index + 1
    end, said, frames = at + 1, None, []
    while end < len(lines) and end - at < _LONGEST and not _OUTSIDE_END.match(lines[end].text):
        text = lines[end].text
        if said is None and _CLASS.match(text) and end + 1 < len(lines):
            said = end
        elif frame := _OUTSIDE_FRAME.match(text):
            frames.append(Frame(frame["file"], frame["function"] or "", int(frame["line"])))
        end += 1
    if said is None:
        return None, index + 1
    name, message = lines[said].text.strip().rstrip(":"), lines[said + 1].text.strip()
    find = spotted(
        NAME, "error", name, message, lines[said + 1], lines[index:end],
        language="ruby", frames=tuple(reversed(frames)), notes=(lines[index].text.strip(),),
    )  # fmt: skip
    if " an `after(" in lines[index].text:
        find.aside = TIDYING
    return find, end


def _begins(lines: Stream, index: int) -> tuple[_Tool | None, re.Match[str] | None, re.Match[str] | None]:
    text = lines[index].text
    if not (text.startswith("  ") or text[:1].isdigit()) or ") " not in text[:12]:
        return None, None, None
    for tool in _TOOLS:
        head, second = tool.head.match(text), tool.second.match(lines[index + 1].text)
        if head is not None and second is not None:
            return tool, head, second
    return None, None, None


def _find(lines: Stream, index: int, end: int, tool: _Tool, head: re.Match[str], second: re.Match[str]) -> Find:
    told = second.groupdict()
    test = (head.groupdict().get("test") or told.get("test") or "").strip()
    start = index + 1 if tool.language == "php" else index + 2
    frames = [
        Frame(match["file"], (match["function"] or "").strip(), int(match["line"]))
        for line in lines[start:end]
        if (match := tool.frame.match(line.text))
    ]
    if not frames and told.get("file"):
        frames = [Frame(told["file"] or "", test, int(told["line"] or 0))]
    # ExUnit tells of each assertion the same, but for the code that it shows.
    code = next((said[5:] for line in lines[start:end] if (said := line.text.strip()).startswith("code: ")), "")
    at, name, message = _said(lines, start, end, tool, (told.get("source") or code).strip())
    # Where the type stands on another line, or nowhere, no line can be known by both.
    kind = "test" if f"{name}: {message[:20]}".split("\n", 1)[0] in lines[at].text else "error"
    return spotted(
        NAME,
        kind,
        name,
        message,
        lines[at],
        lines[index:end],
        language=tool.language,
        frames=tuple(reversed(frames)),
        notes=(test[:300],),
    )


def _said(lines: Stream, start: int, end: int, tool: _Tool, source: str) -> tuple[int, str, str]:
    """Where type and message stand, and both; an assertion is told by its source first, whose values vary."""
    spoken: list[tuple[int, str]] = []
    for at in range(start, end):
        text = lines[at].text
        if tool.frame.match(text) or text.strip().startswith(_STACK):
            if spoken and not text.strip().startswith("code:"):
                break
            continue
        if text.strip() and not text.strip().startswith("(compared using"):
            spoken.append((at, text.strip()))
    if not spoken:
        return start - 1, tool.asserted, source
    for place, (at, text) in enumerate(spoken):
        if match := _CLASS.match(text) if source and place + 1 < len(spoken) else None:
            return spoken[place + 1][0], match["type"], "\n".join(_texts(spoken[place + 1 :]))
        if not place and (match := _RAISED.match(text) or _TYPED.match(text)):
            return at, match["type"], "\n".join([match["message"], *_texts(spoken[1:])]).strip()
    texts = [source, *_texts(spoken)] if source else _texts(spoken)
    asserted = tool.language != "php" or any(text.startswith(_PHP_ASSERTED) for text in texts)
    return spoken[0][0], tool.asserted if asserted else "Error", "\n".join(texts)


def _texts(spoken: list[tuple[int, str]]) -> list[str]:
    return [text for _, text in spoken[:_MOST_SAID]]
