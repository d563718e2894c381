"""Reports of other test tools of JavaScript: TAP of `node --test`, AVA, Jasmine; what Jest says of its settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.tap_passed import LATER
from kb.failures.streams import Stream

NAME = "js-reports"
ABOUT = "node --test (TAP), AVA, Jasmine: failing tests; Jest: settings that do not hold"
EXAMPLE = """\
not ok 2 - adds the tax
  ---
  location: '/srv/cart/total.test.js:2:36'
  failureType: 'testCodeFailure'
  error: '119 == 120'
  code: 'ERR_ASSERTION'
  name: 'AssertionError'
  ...
"""

_NOT_OK = re.compile(r"(?P<indent>\s{0,80})not ok \d{1,9} (?:- )?(?P<test>\S.{0,500})$")
_FIELD = re.compile(r"\s{2,84}(?P<name>location|failureType|error|name|code): (?P<value>.*)$")
#: A test with failing tests inside, or one that says to be done later.
_OUTER = frozenset({"subtestsFailed", "hookFailed"})
_PLACE = re.compile(r"(?P<file>.{1,1000}?):(?P<line>\d{1,9}):\d{1,9}$")
_TYPED = re.compile(r"(?P<type>[A-Z][\w$]{0,100}(?:Error|Exception)): (?P<message>\S.*)$")
_JASMINE_FRAME = re.compile(r"\s{4,16}at (?:.{1,300} \()?(?P<file>[^\s()<>]{1,500}):(?P<line>\d{1,7}):\d{1,7}\)?$")
_JASMINE_TITLE = re.compile(r"\d{1,6}\) (?P<test>\S.{0,500})$")
_AVA_TITLE = re.compile(r"  (?P<file>\S{1,300}):(?P<line>\d{1,7})$")
_AVA = "  Difference (- actual, + expected):"
_LONGEST = 60
_FAR = 14


def read(lines: Stream) -> Iterator[Find]:
    """One find per failing test, with what its report says."""
    for index, line in enumerate(lines):
        text = line.text
        if (failed := _NOT_OK.match(text)) is not None and not LATER.search(text):
            find = _tap(lines, index, failed)
        elif text == "  Message:":
            find = _jasmine(lines, index)
        elif text == _AVA:
            find = _ava(lines, index)
        elif text == "● Validation Error:":
            find = _settings(lines, index)
        else:
            continue
        if find is not None:
            yield find


def _tap(lines: Stream, at: int, failed: re.Match[str]) -> Find | None:
    """What the YAML below a `not ok` line says; tests of other writers of TAP have no such fields."""
    if at + 1 >= len(lines) or lines[at + 1].text != f"{failed['indent']}  ---":
        return None
    told: dict[str, str] = {}
    where, end = at, at + 2
    while end < len(lines) and end - at < _LONGEST and lines[end].text.strip() != "...":
        if (field := _FIELD.match(lines[end].text)) is not None and field["name"] not in told:
            value = field["value"].strip()
            if field["name"] == "error":
                where = end
                if value in ("|-", "|", ">-") and end + 1 < len(lines):
                    where, value = end + 1, lines[end + 1].text.strip()
            told[field["name"]] = value[1:-1] if value[:1] in ("'", '"') and value[-1:] == value[:1] else value
        end += 1
    if "error" not in told or "failureType" not in told:
        return None
    place = _PLACE.match(told.get("location", ""))
    find = spotted(
        NAME, "test", told.get("name", "Error"), told["error"], lines[where], lines[at : end + 1],
        language="javascript",
        frames=(Frame(place["file"], failed["test"].replace(".", " ").strip(), int(place["line"])),) if place else (),
        notes=(failed["test"],),
    )  # fmt: skip
    if told["failureType"] in _OUTER:
        find.cascade = "tests inside it failed"
    return find


def _jasmine(lines: Stream, at: int) -> Find | None:
    """A failed spec: its number and name above, what it says deeper below, and then a stack with a frame."""
    title = _JASMINE_TITLE.match(lines[at - 1].text) if at else None
    end = at + 1
    while end < len(lines) and end - at < _LONGEST and _deeper(lines[end].text):
        end += 1
    if title is None or end in (at + 1, len(lines)) or lines[end].text != "  Stack:" or not lines[at + 1].text.strip():
        return None
    stop = end + 1
    while stop < len(lines) and stop - end < _LONGEST and lines[stop].text.startswith("    "):
        stop += 1
    if not any(line.text.lstrip().startswith("at ") for line in lines[end + 1 : stop]):
        return None
    said = lines[at + 1].text.strip()
    typed = _TYPED.match(said)
    places = [match for line in lines[end:stop] if (match := _JASMINE_FRAME.match(line.text))]
    test = title["test"]
    return spotted(
        NAME, "test", typed["type"] if typed else "AssertionError", typed["message"] if typed else said,
        lines[at + 1], lines[at - 1 : stop],
        language="javascript",
        frames=tuple(Frame(m["file"], test.replace(".", " ").strip(), int(m["line"])) for m in reversed(places)),
        notes=(test,),
    )  # fmt: skip


def _deeper(text: str) -> bool:
    return text.startswith("    ") or not text.strip()


def _ava(lines: Stream, at: int) -> Find | None:
    """A comparison that failed: the title of the test and its place stand above the source that is shown."""
    begin, place = at, None
    for index in range(at - 1, max(at - _FAR, 0), -1):
        if (place := _AVA_TITLE.match(lines[index].text)) is not None:
            begin = index
            break
    test = next((line.text.strip() for line in reversed(lines[max(begin - 3, 0) : begin]) if line.text.strip()), "")
    end = at + 2
    while end < len(lines) and end - at < _LONGEST and lines[end].text.strip():
        end += 1
    values = [line.text.strip() for line in lines[at + 1 : end] if line.text.strip()]
    if place is None or not test or not any(value.startswith(("- ", "+ ")) for value in values):
        return None
    number = f"{place['line']}: "
    source = next((rest for line in lines[begin:at] if (rest := _after(line.text, number))), "")
    frames = (Frame(place["file"], test.replace(".", " "), int(place["line"]), source),)
    # The values differ from run to run; what was asserted stands in the source.
    message = "\n".join([*filter(None, [source]), lines[at].text.strip(), *values])
    return spotted(
        NAME, "test", "AssertionError", message, lines[at], lines[begin:end], language="javascript", frames=frames,
        notes=(test,),
    )  # fmt: skip


def _after(text: str, number: str) -> str:
    """The source that stands behind `number`, which heads it."""
    text = text.strip()
    return text[len(number) :].strip() if number and text.startswith(number) else ""


def _settings(lines: Stream, at: int) -> Find | None:
    said = next((line for line in lines[at + 1 : at + 4] if line.text.strip()), None)
    if said is None:
        return None
    end = at + 1 + (said is not lines[at + 1])
    while end < len(lines) and end - at < _FAR and lines[end].text.strip():
        end += 1
    message = said.text.strip().rstrip(":")
    return spotted(NAME, "build", "Validation Error", message, said, lines[at:end], language="javascript")
