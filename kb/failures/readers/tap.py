"""TAP: what tests of Perl, tape, QUnit and bats say below a test that is not ok."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.tap_passed import LATER
from kb.failures.streams import Stream

NAME = "tap"
ABOUT = "TAP of Perl (Test::More, prove), tape, QUnit and bats: failing tests"
EXAMPLE = """\
#   Failed test 'tax of two'
#   at t/tax.t line 2.
#          got: '38'
#     expected: '39'
# Looks like you failed 1 test of 3.
"""

_FAILED = re.compile(r"(?P<indent>\s{0,40})#   Failed (?:\(TODO\) )?test(?: '(?P<test>.{1,500})')?(?P<more>\s*)$")
_AT = re.compile(r"\s{0,40}#   (?:at|in) (?P<file>\S{1,500}) (?:at )?line (?P<line>\d{1,7})\.$")
_DIAG = re.compile(r"\s{0,40}# {3,}(?P<said>\S.*)$")
_NOT_OK = re.compile(r"(?P<indent>\s{0,80})not ok \d{1,9} (?:- )?(?P<test>\S.{0,500})$")
_FIELD = re.compile(r"\s{2,90}(?P<name>operator|expected|actual|message|at|found|wanted)\s{0,4}: +(?P<value>\S.*)$")
_PLACE = re.compile(r"(?:(?P<function>.{1,200}) \()?(?P<file>[^\s()]{1,500}):(?P<line>\d{1,7}):\d{1,7}\)?$")
_STACK_FRAME = re.compile(r"\s{4,90}at (?P<place>\S.{1,700})$")
_BATS_AT = re.compile(r"\s{0,40}# \(.{0,400}in test file (?P<file>.{1,500}), line (?P<line>\d{1,7})\)$")
_BATS_SAID = re.compile(r"\s{0,40}#   (?P<said>`(?P<command>.{1,500})' failed(?: with status \d{1,3})?)$")
_LONGEST = 60


def read(lines: Stream) -> Iterator[Find]:
    """One find per test that is not ok and says why."""
    for index, line in enumerate(lines):
        find = None
        if "Failed test" in line.text and (failed := _FAILED.match(line.text)) is not None:
            find = _perl(lines, index, failed)
        elif "not ok " in line.text and (failed := _NOT_OK.match(line.text)) and not LATER.search(line.text):
            find = _yaml(lines, index, failed) or _bats(lines, index, failed["test"])
        if find is not None:
            yield find


def _perl(lines: Stream, at: int, failed: re.Match[str]) -> Find:
    """Of Test::More: the name, the place, what was got and expected."""
    frames: tuple[Frame, ...] = ()
    end, said = at + 1, []
    while end < min(at + _LONGEST, len(lines)):
        text = lines[end].text
        if not frames and (place := _AT.match(text)) is not None:
            frames = (Frame(place["file"], (failed["test"] or "").replace(".", " "), int(place["line"])),)
        elif (diag := _DIAG.match(text)) is not None and not _FAILED.match(text):
            said.append(diag["said"].strip())
        else:
            break
        end += 1
    message = "\n".join([lines[at].text.strip("# \t"), *said[:6]])
    return spotted(
        NAME, "error", "Failed test", message, lines[at], lines[at:end],
        language="perl", frames=frames, notes=(failed["test"],) if failed["test"] else (),
    )  # fmt: skip


def _bats(lines: Stream, at: int, test: str) -> Find | None:
    """Of bats: the place, the command that failed, and what the test had printed."""
    place = _BATS_AT.match(lines[at + 1].text) if at + 2 < len(lines) else None
    said = _BATS_SAID.match(lines[at + 2].text) if place is not None else None
    if place is None or said is None:
        return None
    end = at + 3
    while end < min(at + _LONGEST, len(lines)) and lines[end].text.startswith("# "):
        end += 1
    printed = [line.text[2:].strip() for line in lines[at + 3 : end]]
    return spotted(
        NAME, "error", "not ok", "\n".join([said["said"], *printed[:6]]), lines[at + 2], lines[at:end],
        frames=(Frame(place["file"], test.replace(".", " "), int(place["line"]), said["command"]),), notes=(test,),
    )  # fmt: skip


def _yaml(lines: Stream, at: int, failed: re.Match[str]) -> Find | None:
    """Of tape and QUnit: a block of fields; node's own has others, and a reader of its own."""
    if at + 1 >= len(lines) or lines[at + 1].text.strip() != "---":
        return None
    told: dict[str, str] = {}
    end, frame = at + 2, None
    while end < len(lines) and end - at < _LONGEST and lines[end].text.strip() != "...":
        text = lines[end].text
        if (field := _FIELD.match(text)) is not None:
            told.setdefault(field["name"], field["value"].strip())
        elif text.strip().startswith("failureType:"):
            return None
        elif (stack := _STACK_FRAME.match(text)) is not None and "node_modules" not in text:
            frame = frame or _PLACE.search(stack["place"])
        end += 1
    if not told:
        return None
    place = _PLACE.search(told.get("at", "")) or frame
    values = [f"{name}: {told[name]}" for name in ("expected", "actual") if name in told]
    test = failed["test"].strip()
    # What a test is called is what it says: the values differ from run to run.
    return spotted(
        NAME, "error", "AssertionError", "\n".join([test, *values]), lines[at], lines[at : end + 1],
        language="javascript" if place else None,
        frames=(Frame(place["file"], test.replace(".", " "), int(place["line"])),) if place else (),
        notes=(test,),
    )  # fmt: skip
