"""pytest's report: the `E` lines of a failing test, and the short summary when nothing else is left."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import TIDYING, Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Line, Stream

NAME = "pytest"
ABOUT = "pytest: failing tests by their E lines, or by the short summary"
EXAMPLE = """\
    def test_balance(db):
>       db.execute('select 1 from entries')
E       sqlite3.OperationalError: no such table: entries

tests/test_ledger.py:6: OperationalError
"""

_E_LINE = re.compile(r"E {3,}(?P<text>\S.*)$")
_TYPED = re.compile(r"(?P<type>[A-Za-z_][\w.]{0,200}): (?P<message>.*)$")
_BARE = re.compile(r"(?P<type>[A-Za-z_][\w.]{0,200}(?:Error|Exception|Interrupt|Exit))$")
_PLACE = re.compile(
    r"(?P<file>[^\s:][^:\n]{0,500}):(?P<line>\d{1,9}): (?:in (?P<function>\S+)|(?P<type>[A-Za-z_][\w.]*))$"
)
_TITLE = re.compile(r"_{1,100} (?P<name>\S.{0,400}?) _{1,100}$")
_TEARDOWN = "ERROR at teardown of "
_CRASHED = re.compile(r"worker '(?P<worker>\w{1,40})' (?P<message>crashed while running '(?P<test>[^']{1,1000})')$")
_SUMMARY = re.compile(r"(?:FAILED|ERROR) (?P<test>\S+)(?: - (?P<rest>.*))?$")


def read(lines: Stream) -> Iterator[Find]:
    """One find per failing test with its own `E` lines; summary lines only when the log holds no `E` line."""
    found = False
    test, source, index = "", "", 0
    frames = {line.text.rpartition(" in ")[2] for line in lines if line.text.startswith('  File "')}
    while index < len(lines):
        text = lines[index].text
        title = _TITLE.match(text)
        if title:
            test, source = title["name"], ""
        elif crashed := _CRASHED.match(text):
            found = True
            yield _crash(lines[index], crashed, frames)
        elif text.startswith((">  ", "&gt;  ")):
            source = text.lstrip("&gt;>").strip()
        elif _E_LINE.match(text):
            find, index = _failure(lines, index, test, source)
            found = True
            yield find
            continue
        index += 1
    if not found:
        yield from _summary(lines)


def _failure(lines: Stream, start: int, test: str, source: str) -> tuple[Find, int]:
    index = begin = start
    texts: list[str] = []
    while index < len(lines) and (match := _E_LINE.match(lines[index].text)):
        texts.append(match["text"])
        index += 1
        # What explains a comparison stands below an empty `E` line.
        if index + 1 < len(lines) and lines[index].text.rstrip() == "E" and _E_LINE.match(lines[index + 1].text):
            index += 1
    if texts[0].startswith('File "') and _TYPED.match(texts[-1]):  # a file that does not parse
        start, texts = index - 1, [texts[-1]]
    name, message = "AssertionError", texts[0]
    if typed := _TYPED.match(texts[0]):
        name, message = typed["type"], typed["message"]
    elif bare := _BARE.match(texts[0]):
        name, message = bare["type"], ""
    place = None
    for line in lines[index : index + 4]:
        place = _PLACE.match(line.text.partition("</")[0])
        if place:
            break
    if (
        name.endswith("AssertionError")
        and source.startswith("assert ")
        and (not message or message.startswith("assert "))
    ):
        # The `E` line shows the values; what was asserted stands in the source line.
        message = source
    frame = Frame(place["file"], place["function"] or "", int(place["line"]), source[:500]) if place else None
    line = lines[start]
    return (
        Find(
            kind="test",
            type=name,
            message="\n".join([message, *texts[1:20]]).strip("\n"),
            at=line,
            first=lines[begin].number,
            last=lines[index - 1].number,
            language="python",
            frames=(frame,) if frame else (),
            process=line.process,
            reader=NAME,
            notes=(test,) if test else (),
            aside=TIDYING if test.startswith(_TEARDOWN) else "",
            lines={ln.number for ln in lines[begin:index]},
        ),
        index,
    )


def _crash(line: Line, crashed: re.Match[str], frames: set[str]) -> Find:
    """A worker of xdist that was gone: what killed it stands in a report of its own, if anywhere."""
    file, _, names = crashed["test"].partition("::")
    function = names.rpartition("::")[2].partition("[")[0]
    return Find(
        kind="crash",
        type="crash",
        message=crashed["message"],
        at=line,
        first=line.number,
        last=line.number,
        # Named as pytest names it: no line of a stack shows this function.
        frames=(Frame(file, f"{file.rpartition('/')[2]}::{function}"),),
        process=crashed["worker"],
        reader=NAME,
        cascade="the worker told of its crash before it ended" if function in frames else "",
        lines={line.number},
    )


def _unsaid(line: Line, test: str) -> Find:
    find = spotted(NAME, "test", "pytest", f"{test} failed", line, [line], language="python", notes=(test,), weight=1)
    find.cascade = "pytest's summary only names the test; its report says what failed"
    return find


def _summary(lines: Stream) -> Iterator[Find]:
    inside, told = False, False
    for line in lines:
        if "short test summary info" in line.text:
            inside = True
            continue
        match = _SUMMARY.match(line.text) if inside else None
        if match is None or (told and not match["rest"]):
            continue
        if not match["rest"]:
            # What failed in it is not said: one line of many tells as much as all.
            told = True
            yield _unsaid(line, match["test"])
            continue
        typed = _TYPED.match(match["rest"])
        yield Find(
            kind="test",
            type=typed["type"] if typed else "AssertionError",
            message=typed["message"] if typed else match["rest"],
            at=line,
            first=line.number,
            last=line.number,
            language="python",
            process=line.process,
            reader=NAME,
            notes=(match["test"],),
            weight=1,
            lines={line.number},
        )
