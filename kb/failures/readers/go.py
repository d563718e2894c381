"""Go: panics, fatal errors of the runtime, goroutine dumps and data races."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.logged import harmless
from kb.failures.streams import Stream

NAME = "go"
ABOUT = "Go: panics, fatal errors of the runtime, goroutine dumps, data races"
EXAMPLE = """\
panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.pick(...)
	/srv/ticker/main.go:23
main.main()
	/srv/ticker/main.go:32 +0x61c
exit status 2
"""

_HEAD = re.compile(
    r"(?:http: )?(?P<type>panic|fatal error|SIG[A-Z]{2,6})(?: serving \S{1,100})?: (?P<message>.*?)"
    r"(?P<recovered> \[recovered(?:, repanicked)?\])?$"
)
_AGAIN = re.compile(r"\tpanic: (?P<message>.*?)(?: \[recovered(?:, repanicked)?\])?$")
_GOROUTINE = re.compile(
    r"goroutine (?P<id>\d{1,12}) (?:gp=\S{1,40} m=\S{1,40}(?: mp=\S{1,40})? )?\[[^\]\n]{1,200}\](?:, .{0,80})?:$"
)
_PLACE = re.compile(
    r"(?:\s{1,8}|(?=(?:[A-Z]:)?/\S{1,1000}\.(?:go|s|c|h):\d))(?P<file>\S[^\n]{0,1000}?)"
    r":(?P<line>\d{1,9})(?: \+0x[0-9a-f]{1,16})?(?: fp=\S{1,40} .{1,80})?$"
)
_SIGNAL = re.compile(r"\[signal (?P<name>SIG[A-Z]{2,6})")
_CLOSURE = re.compile(
    r"(?:\.func\d{1,6}|\.gowrap\d{1,6}|\.\d{1,6}|\.deferwrap\d{1,6}|-fm|\.\(\*[\w]{1,100}\)\.\w{1,100}-fm)+$"
)
_GENERIC = re.compile(r"\[\.\.\.\]")
_EXIT = re.compile(r"exit status \d{1,3}$")
_RACE = "WARNING: DATA RACE"
#: A program that ends by log.Fatal says why in its last record, and `go run` then prints the status.
_GO_LOG = re.compile(r"\d{4}/\d\d/\d\d ")
_REPORT = 20_000


def read(lines: Stream) -> Iterator[Find]:
    """Every panic, fatal error and race, with the frames of the goroutine that failed."""
    index = 0
    while index < len(lines):
        text = lines[index].text
        find: Find | None = None
        if text.strip() == _RACE:
            find, index = _race(lines, index)
        elif _EXIT.match(text) and index and (before := lines[index - 1]).record and _GO_LOG.match(before.time):
            yield spotted(NAME, "error", "fatal", before.text, before, [before, lines[index]], language="go", weight=1)
            index += 1
        else:
            match = _HEAD.match(text)
            if match is not None and _goes_on(lines, index):
                find, index = _failure(lines, index, match)
            else:
                index += 1
        if find is not None:
            yield find


def _goes_on(lines: Stream, at: int) -> bool:
    """Whether a goroutine's stack follows within the message and its notes, so that this is Go's and no other's."""
    for line in lines[at + 1 : at + 40]:
        if _GOROUTINE.match(line.text) or line.text.startswith(("\tpanic: ", "[signal SIG", "runtime stack:")):
            return True
        if _HEAD.match(line.text):
            return False
    return False


def _failure(lines: Stream, at: int, match: re.Match[str]) -> tuple[Find, int]:
    message, index = match["message"], at + 1
    more: list[str] = []
    notes: list[str] = []
    while index < len(lines) and not _GOROUTINE.match(lines[index].text):
        text = lines[index].text
        if again := _AGAIN.match(text):
            notes.append(again["message"])
        elif signal := _SIGNAL.match(text):
            notes.append(signal["name"])
        elif (
            text.strip()
            and not notes
            and not text.startswith(("runtime stack:", "PC=", "m=", "\t", "runtime.", "goroutine"))
        ):
            more.append(text)
        elif not text.strip() and notes:
            pass
        index += 1
        if index - at > 200:
            break
    frames, end = _stacks(lines, index, "Test" if "test timed out" in message else "")
    line = lines[at]
    find = Find(
        kind="panic" if not match["type"].startswith("SIG") else "signal",
        type=match["type"],
        message="\n".join([message, *more[:20]]).strip(),
        at=line,
        first=lines[at].number,
        last=lines[max(end - 1, at)].number,
        language="go",
        frames=tuple(reversed(frames[:200])),
        notes=tuple(notes[:5]),
        process=line.process,
        reader=NAME,
        harmless=harmless(lines, at) if line.level else "",
        lines={ln.number for ln in lines[at:end]},
    )
    if "test timed out after" in message:
        find.kind = "test"
    return find, end


def _stacks(lines: Stream, start: int, wanted: str) -> tuple[list[Frame], int]:
    """The frames of the first goroutine (but the scheduler's, 0), and the dump's end.

    With `wanted`, it is the first goroutine that runs a function of that beginning: a test that took too long.
    """
    chosen: list[Frame] = []
    index = start
    settled = False
    while index < len(lines) and index - start < _REPORT:
        header = _GOROUTINE.match(lines[index].text)
        if header is None:
            if lines[index].text.strip() or not _another(lines, index):
                break
            index += 1
            continue
        frames, index = _frames(lines, index + 1)
        if not settled and frames and header["id"] != "0":
            settled = any(f.function.rpartition(".")[2].startswith(wanted) for f in frames)
            chosen = frames if settled or not chosen else chosen
    if index < len(lines) and _EXIT.match(lines[index].text):
        index += 1
    return chosen, index


def _another(lines: Stream, index: int) -> bool:
    return any(_GOROUTINE.match(line.text) for line in lines[index + 1 : index + 3])


def _frames(lines: Stream, index: int) -> tuple[list[Frame], int]:
    """The frames from `index` on, innermost first, two lines each, and the index after them."""
    frames: list[Frame] = []
    while index + 1 < len(lines):
        text = lines[index].text
        if text.startswith("...") and "frames elided" in text:
            index += 1
            continue
        place = _PLACE.match(lines[index + 1].text)
        if place is None or not text or text[0].isspace():
            break
        frames.append(Frame(place["file"], called(text), int(place["line"])))
        index += 2
    return frames, index


def called(text: str) -> str:
    """The function of a frame's first line: without its arguments; `created by …` stays, it is no call."""
    text = text.strip()
    if text.startswith("created by "):
        return text.partition(" in goroutine ")[0]
    return plain(text[: text.rindex("(")] if text.endswith(")") and "(" in text else text)


def plain(function: str) -> str:
    """`function` as it was declared: without closure counters and type arguments."""
    # `math.glob..func1` is a closure outside all functions.
    return _CLOSURE.sub("", _GENERIC.sub("", function.strip())).rstrip(".")


def _race(lines: Stream, at: int) -> tuple[Find, int]:
    """The race detector's report: what both accesses were, and the stack of the first."""
    index = at + 1
    first: list[Frame] = []
    access = lines[index].text.strip() if index < len(lines) else ""
    while index < len(lines) and not lines[index].text.startswith("====") and index - at < 400:
        place = _PLACE.match(lines[index].text)
        if place is not None and len(first) < 100 and access.startswith(lines[at + 1].text.strip()[:4]):
            first.append(Frame(place["file"], called(lines[index - 1].text), int(place["line"])))
        if not lines[index].text.strip() and first:
            access = ""
        index += 1
    end = min(index + 1, len(lines))
    begin = at - 1 if at and lines[at - 1].text.startswith("====") else at
    line = lines[at]
    return (
        Find(
            kind="panic",
            type="DATA RACE",
            message=re.sub(r" at 0x[0-9a-f]{1,16} by .*", "", lines[min(at + 1, len(lines) - 1)].text.strip()),
            at=line,
            first=lines[begin].number,
            last=lines[end - 1].number,
            language="go",
            frames=tuple(reversed(first)),
            process=line.process,
            reader=NAME,
            lines={ln.number for ln in lines[begin:end]},
        ),
        end,
    )
