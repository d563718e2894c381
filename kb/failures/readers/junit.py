"""JUnit XML reports: failing test cases of any language, from the attributes and the text of their elements."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.java_frames import in_stack, stack
from kb.failures.streams import Stream

NAME = "junit-xml"
ABOUT = "JUnit XML: failing test cases of any test framework"
EXAMPLE = """\
<testsuite name="rates" tests="1" failures="1">
<testcase classname="demo.RatesTest" name="converts">
<failure message="expected: &lt;2&gt; but was: &lt;3&gt;" type="org.opentest4j.AssertionFailedError">stack</failure>
</testcase>
</testsuite>
"""

_TAG = re.compile(r"<(?P<tag>testcase|failure|error)\b(?P<attributes>[^<>]{0,20000})>?")
_ATTRIBUTE = re.compile(r"(?P<name>[\w:-]{1,40})\s*=\s*(?:\"(?P<double>[^\"]{0,20000})\"|'(?P<single>[^']{0,20000})')")
_TYPED = re.compile(
    r"(?:failed on (?:setup|teardown) with \")?(?P<type>[A-Za-z_][\w.$]{0,200}(?:Error|Exception|"
    r"Failure|Failed|Exit|Timeout)\w{0,20}): ?(?P<message>.*)$",
    re.DOTALL,
)
_MOST = 500
#: So much of a line is looked at behind an element's head: a report may be one line.
_WIDE = 20_000


def read(lines: Stream) -> Iterator[Find]:
    """One find per failing case, but none where the text holds pytest's `E` lines: another reader reads those."""
    test, told = "", 0
    seen: dict[tuple[str, str], Find] = {}
    if not any("<testcase" in line.text for line in lines):
        return
    for index, line in enumerate(lines):
        if "<" not in line.text:
            continue
        for match in _TAG.finditer(line.text):
            values = _attributes(match["attributes"])
            if match["tag"] == "testcase":
                test = ".".join(part for part in (values.get("classname", ""), values.get("name", "")) if part)
                continue
            find = _failure(lines, index, match, values, test)
            if find is None or told >= _MOST:
                continue
            key = (find.type, find.message.split("\n", 1)[0])
            if key not in seen:
                told += 1
                seen[key] = find
                yield find


def _attributes(text: str) -> dict[str, str]:
    found = _ATTRIBUTE.finditer(text)
    return {match["name"]: html.unescape(match["double"] or match["single"] or "") for match in found}


def _failure(lines: Stream, index: int, match: re.Match[str], values: dict[str, str], test: str) -> Find | None:
    end = _close(lines, index, match)
    body = [_told(lines[index].text, match.end()), *(line.text for line in lines[index + 1 : end])]
    if any(part.startswith("E  ") for part in body):
        return None
    inner = html.unescape(body[0]).removeprefix("<![CDATA[").strip()
    message = values.get("message") or ""
    if message.strip().lower() in ("", "failed", "failure", "error", "test failed"):
        message = inner or next((part.strip() for part in body[1:] if part.strip()), "") or message
    name = values.get("type", "")
    if typed := _TYPED.match(message):
        message = typed["message"].removesuffix('"') if message.startswith("failed on ") else typed["message"]
        name = name if name.endswith(typed["type"].rsplit(".", 1)[-1]) else typed["type"]
    elif typed := _TYPED.match(inner):
        name = name or typed["type"]
    frames, language = _frames(lines, index + 1, end)
    return spotted(
        NAME,
        "test",
        name or match["tag"],
        message.strip(),
        lines[index],
        lines[index:end],
        language=language,
        frames=frames,
        notes=(test,) if test else (),
    )


def _frames(lines: Stream, index: int, end: int) -> tuple[tuple[Frame, ...], str | None]:
    """The first Java stack in the element's text, outermost frame first, and its language."""
    for start in range(index, end):
        if in_stack(lines[start].text):
            frames, _, _ = stack(lines, start)
            return tuple(reversed(frames)), "java"
    return (), None


def _told(text: str, start: int) -> str:
    """What stands between the tag that ends at `start` and the next one that closes an element."""
    end = text.find("</", start, start + _WIDE)
    return text[start : start + _WIDE if end < 0 else end]


def _close(lines: Stream, index: int, match: re.Match[str]) -> int:
    """The index after the line that closes the element which begins with `match` on the line at `index`."""
    if match["attributes"].endswith("/"):
        return index + 1
    for end in range(index, min(index + 400, len(lines))):
        text, start = lines[end].text, match.end() if end == index else 0
        if any(text.find(close, start, start + _WIDE) >= 0 for close in (f"</{match['tag']}>", "</testcase>")):
            return end + 1
    return index + 1
