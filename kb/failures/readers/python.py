"""Python: tracebacks with chains, groups, notes and quoted tracebacks, and exception lines that stand alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kb.expressions import late
from kb.failures.found import Find
from kb.failures.last_error import goes_on
from kb.failures.readers.cells import HOLDERS, cell_trace
from kb.failures.readers.logged import handled
from kb.failures.readers.python_titles import LOGGING, process_of, title_of
from kb.failures.readers.traceback import (
    BETWEEN,
    EXCEPTION,
    HEADER,
    SEPARATORS,
    Traceback,
    chained,
    frame_at,
    parse,
    quotes_source,
    strip_margin,
)
from kb.failures.readers.user_code import told
from kb.failures.source_code import is_text
from kb.failures.streams import MILD, Line, Stream

NAME = "python"
ABOUT = "Python: tracebacks with chains, groups, notes, remote copies; exception lines"
EXAMPLE = """\
Traceback (most recent call last):
  File "serve.py", line 12, in load
    return config.image_token_index
AttributeError: 'TinyConfig' object has no attribute 'image_token_index'
"""

_GROUP_MEMBER = late(r"(?P<margin>[\s|]*)\+(?:-\+)?-{10,} (?:\d+|\.\.\.) -{10,}$")
_GROUP_TYPE = late(r"(?:.*\.)?(?:Base)?ExceptionGroup$|(?:.*\.)?MultiError$")
#: What announces that the traceback after it is quoted by the exception before it.
_QUOTE = late(
    r"Original Traceback \(most recent|-- Process \d+ terminated with the following error|raised:$|"
    r"Worker Traceback"
)
#: What begins the quoted traceback of another process, right under an exception without a message.
_QUOTED = ("'''", '"""')
#: An exception named on a line of its own, outside any traceback.
#: Packages of the JVM, in two parts or more before the class.
_JVM = late(r"(?:org|com|net|io|java|javax|jakarta|scala|kotlin)\.\w+\.(?:\w+\.){0,12}[A-Z]\w*(?:Exception|Error)$")
_ALONE = late(
    r"(?P<type>(?:[A-Za-z_]\w*\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Interrupt|Timeout|Expired|Failed|NotFound|Exit)"
    r"(?:\([A-Za-z_][\w.]*\))?): (?P<message>\S.*)$"
)
_ARGUMENTS = "Arguments: "
_NOTED_RANK = late(r"rank \d{1,6}$")
#: What a progress bar left behind, below an exception that ended it.
_BAR = late(r"\s*(?:.{0,60}: +)?\d{1,3}%\|")
_MESSAGE_LINES = 60
_CALL_STACK = 200
_NOTES = 8
#: So far below a message may stand the place that it speaks of.
_PLACE = 2


@dataclass(slots=True)
class _Report:
    """Tracebacks that were printed as one: from the line `start` to before the line `end`."""

    start: int
    finds: list[Find]
    end: int = 0


def read(lines: Stream) -> Iterator[Find]:
    """All Python failures of one stream, in the order of their exception lines."""
    finds: list[Find] = []
    index = 0
    last: tuple[int, Find] | None = None
    groups: list[tuple[int, Find]] = []
    reports: list[_Report] = []
    while index < len(lines):
        text, start = lines[index].text, index
        find: Find | None = None
        if HEADER in text:
            find, index = _traceback(lines, index)
        elif frame_at(text) is not None and not text.lstrip().startswith(("at ", "#")):
            find, index = _traceback(lines, index, headless=True)
        elif _GROUP_MEMBER.match(text) and groups and index + 1 < len(lines) and HEADER not in lines[index + 1].text:
            find, index = _bare_member(lines, index + 1)
        else:
            alone = _alone(lines, index)
            if alone is not None:
                if last is not None and (relation := chained(lines[last[0] : min(index, last[0] + BETWEEN + 1)])):
                    alone.inner.append((relation, last[1]))
                finds.append(alone)
                last = (index, alone)
            index += 1
        if find is None or (last is not None and _points_at(find, last[1], lines[start])):
            continue
        _link(_between(lines, last[0] if last else start, start, find), find, last, groups)
        finds.append(find)
        if not (reports and _tied(find, reports[-1].finds[-1], groups)):
            reports.append(_Report(start, []))
        reports[-1].finds.append(find)
        reports[-1].end = index
        inner = _inner_exception(lines, find, index)
        if inner is not None:
            find.inner.append(("quotes", inner))
            finds.append(inner)
        last = (index, find)
    for report in reports:
        level, quoted = handled(lines, report.start, report.end), _in_source(lines, report.start)
        for find in report.finds:
            find.mild, find.harmless = level, quoted
    yield from finds


def _in_source(lines: Stream, start: int) -> str:
    before = lines[start - 1].text if start else ""
    after = lines[start + 1].text if start + 1 < len(lines) else ""
    return "a text in source code" if is_text(lines[start].text, before, after) else ""


def _tied(find: Find, before: Find, groups: list[tuple[int, Find]]) -> bool:
    """Whether `find` is of one report with `before`: a chain, a quotation, a group."""
    return (
        any(inner is before for _, inner in find.inner)
        or any(inner is find for _, inner in before.inner)
        or any(group is not find for _, group in groups)
    )


def _traceback(lines: Stream, start: int, *, headless: bool = False) -> tuple[Find | None, int]:
    trace = cell_trace(lines, start) or parse(lines, start, headless=headless)
    begin, title, teardown = title_of(lines, start)
    if trace.exception is None:
        if headless and len(trace.frames) < 1:
            return None, start + 1
        return _cut(lines, start, begin, title, trace, teardown), max(trace.end, start + 1)
    find, end = _exception(lines, trace.exception, trace, begin, title, teardown)
    if begin < start and lines[begin].text.strip() == LOGGING:
        end = _of_logging(lines, end, find)
    return find, end


def _of_logging(lines: Stream, end: int, find: Find) -> int:
    """The index behind the call stack and the record of a logging error, which belong to `find`."""
    for index in range(end, min(end + _CALL_STACK, len(lines))):
        if lines[index].text.startswith(_ARGUMENTS):
            find.last = lines[index].number
            find.lines.update(line.number for line in lines[end : index + 1])
            return index + 1
    return end


def _exception(
    lines: Stream, at: int, trace: Traceback, begin: int, title: tuple[str, ...], teardown: str
) -> tuple[Find, int]:
    line = lines[at]
    more, end = _continuation(lines, at, trace)
    message = "\n".join([trace.message, *more]).strip("\n")
    frames = trace.frames
    if not message and trace.type.rsplit(".", 1)[-1] == "AssertionError" and frames and frames[-1].source:
        # A bare assertion says nothing itself: the asserted source is its only text.
        message = frames[-1].source
    name, kind = trace.type, "exception"
    if not more and (report := told(lines, at, message)) is not None:
        name, message, end = report.type or name, report.message, report.end
        frames, line = (*frames, *report.frames), lines[report.at]
        kind = "exception" if report.type else "error"  # then the message stands on a line without the type
    find = Find(
        kind=kind,
        type=name,
        message=message,
        at=line,
        first=lines[begin].number,
        last=lines[end - 1].number,
        language="python",
        frames=frames,
        notes=(*title, *_notes(lines, end, trace)),
        process=process_of(lines, begin, at),
        reader=NAME,
        teardown=teardown,
        lines={ln.number for ln in lines[begin:end]},
    )
    return find, end


def _notes(lines: Stream, index: int, trace: Traceback) -> tuple[str, ...]:
    """What `add_note` printed: plain lines right behind the exception, up to the end of their paragraph.

    In a stream without labels they cannot be told from what the program printed next, so they are shown, never claimed.
    """
    found: list[str] = []
    for line in lines[index : index + _NOTES + 1]:
        text = line.text.strip()
        if not text or line.record or line.labelled or trace.margin or HEADER in text or _alone_text(text):
            break
        found.append(text)
    return tuple(found) if len(found) <= _NOTES else ()


def _cut(lines: Stream, start: int, begin: int, title: tuple[str, ...], trace: Traceback, teardown: str) -> Find | None:
    """A traceback whose last line is not in the log: all that is known is where it was."""
    if not trace.frames:
        return None
    end = max(trace.end, start + 1)
    return Find(
        kind="exception",
        type="",
        message="",
        at=lines[end - 1],
        first=lines[begin].number,
        last=lines[end - 1].number,
        language="python",
        frames=trace.frames,
        notes=title,
        process=process_of(lines, begin, end - 1),
        reader=NAME,
        complete=False,
        weight=1,
        teardown=teardown,
        lines={ln.number for ln in lines[begin:end]},
    )


def _continuation(lines: Stream, at: int, trace: Traceback) -> tuple[list[str], int]:
    """The further lines of a message (and its notes), and the index after them."""
    more: list[str] = []
    index = at + 1
    head = lines[at]
    while index < len(lines) and len(more) < _MESSAGE_LINES:
        line = lines[index]
        text = strip_margin(line.text, trace.margin)
        if text is None or not text.strip() or HEADER in text or text.strip() in SEPARATORS:
            break
        if frame_at(text) is not None or _GROUP_MEMBER.match(line.text) or text.startswith(('"""', "'''", "+---")):
            break
        same = line.process == head.process and line.record == head.record and line.level == head.level
        if not same or (line.record and line.time != head.time):
            break
        own_margin = bool(trace.margin.strip() or trace.margin) or head.labelled or quotes_source(trace.message, more)
        own = text[0].isspace() or own_margin or goes_on(more[-1] if more else trace.message, text)
        if not own or (EXCEPTION.match(text) and _alone_text(text)):
            break
        if text.startswith("[end of output]") or _BAR.match(text):
            break
        more.append(text.rstrip())
        index += 1
    return more, index


def _points_at(find: Find, before: Find, head: Line) -> bool:
    """Whether `find` is but the place, a lone frame, with which the message of `before` closes; it joins that."""
    if find.complete or len(find.frames) != 1 or HEADER in head.text or not (before.complete and before.frames):
        return False
    if not 0 < find.first - before.last <= _PLACE or find.at.process != before.at.process:
        return False
    before.last = find.last
    before.lines |= find.lines
    return True


def _alone_text(text: str) -> bool:
    return _ALONE.match(text) is not None


def _alone(lines: Stream, index: int) -> Find | None:
    """An exception named on a line of its own, as a tail of a log or a summary has it."""
    line = lines[index]
    if line.level in MILD:
        return None
    text = line.text.strip().removeprefix("╰─> ")
    match = _ALONE.match(text)
    if match is None or (text.endswith((",", "{", ";")) and line.text.startswith((" ", "\t"))):
        return None  # an indented line of code or of data: `ConnectTimeout: 30 * time.Second,`
    end = index + 1
    while end < len(lines) and end - index <= _NOTES and _continues(lines[end], line):
        end += 1
    jvm = _JVM.match(match["type"]) is not None
    above = lines[index - 1] if index else line
    return Find(
        kind="exception",
        type=match["type"],
        message="\n".join([match["message"].strip(), *(more.text.rstrip() for more in lines[index + 1 : end])]),
        at=line,
        first=line.number,
        last=lines[end - 1].number,
        language="java" if jvm else "python",
        process=line.process,
        reader=NAME,
        weight=1,
        # What a logger of the JVM prints of an exception without a stack stands below the record, and is of its level.
        mild=above.level if jvm and above.record and above.level in MILD and not (line.record or line.level) else "",
        lines={more.number for more in lines[index:end]},
    )


def _continues(line: Line, head: Line) -> bool:
    """Whether `line`, indented and of the same record, is a further line of the message that `head` begins."""
    text = line.text
    return (
        text.startswith(("  ", "\t"))
        and frame_at(text) is None
        and HEADER not in text
        and (line.process, line.level, line.time) == (head.process, head.level, head.time)
        and not head.text.startswith(("  ", "\t"))
    )


def _bare_member(lines: Stream, index: int) -> tuple[Find | None, int]:
    """A member of a group that was never raised: its exception stands right under the divider."""
    text = lines[index].text
    margin = text[: len(text) - len(text.lstrip(" |"))]
    match = EXCEPTION.match(text[len(margin) :])
    if match is None:
        return None, index + 1
    trace = Traceback((), margin, index, match["type"], (match["message"] or "").strip(), index + 1, False)
    return _exception(lines, index, trace, index, (), "")


def _inner_exception(lines: Stream, find: Find, index: int) -> Find | None:
    """The exception that a wrapper quotes on the next line: `backend='x' raised:` and then `Type: message`."""
    if not find.complete or not find.message.endswith(("raised:", "error:", "exception:")) or index >= len(lines):
        return None
    inner = _alone(lines, index)
    if inner is None or lines[index].process != find.at.process:
        return None
    inner.weight = 0
    inner.frames = find.frames
    find.lines.add(lines[index].number)
    return inner


def _between(lines: Stream, after: int, start: int, find: Find) -> Stream:
    """The lines from `after` to the report whose head is at `start`, but for one that introduces it.

    More lines than a link may span are as good as many: the rest of a long stream is not looked at.
    """
    title = find.first < lines[start].number
    return lines[after : min(start - title, after + BETWEEN + 1)]


def _link(between: Stream, find: Find, last: tuple[int, Find] | None, groups: list[tuple[int, Find]]) -> None:
    """Tie `find` to what stands before it: chain separators, quoted tracebacks, groups."""
    if last is not None:
        before = last[1]
        texts = [ln.text.strip(" |") for ln in between]
        relation = chained(between)
        if relation is not None:
            find.inner.append((relation, before))
        elif before.type.endswith(HOLDERS) or (len(between) <= 4 and _quotes(texts, before, find)):
            before.inner.append(("quotes", find))
        elif not between and ("RayTaskError(" in before.type or before.message.startswith(("ray::", HEADER))):
            # `RayTaskError(X): ray::f() …`, and right behind it the frames and the exception of the other process.
            before.inner.append(("remote", find))
        elif len(between) <= BETWEEN and _announces(between, before, find):
            before.inner.append(("quotes", find))
        elif (
            before.weight == 1
            and not find.complete
            and all(line is before.at for line in between)
            and before.at.level in ("error", "fatal", "")
        ):
            # The exception's own line came first, and the traceback printed after it is cut before that line.
            before.frames, before.weight = find.frames, 0
            find.inner.append(("quotes", before))
    _group(find, groups)


def _announces(between: Stream, before: Find, find: Find) -> bool:
    """Whether the message of `before` ends in a colon, and `find` stands in the output of a program that it repeats."""
    said = before.message.rstrip()
    whole = before.weight == 0 and find.complete and find.weight == 0
    return whole and said.endswith(":") and not any(line.record or line.labelled for line in between[1:])


def _quotes(between: list[str], before: Find, find: Find) -> bool:
    if not before.message and any(text.startswith(_QUOTED) for text in between):
        return True
    return any(_QUOTE.search(t) for t in between if t) or any(
        n.startswith("Original") or _NOTED_RANK.match(n) for n in find.notes
    )


def _group(find: Find, groups: list[tuple[int, Find]]) -> None:
    margin = _depth(find.at.text)
    while groups and margin <= groups[-1][0]:
        groups.pop()
    if groups:
        groups[-1][1].inner.append(("member", find))
    if _GROUP_TYPE.match(find.type):
        groups.append((margin, find))


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip(" |+-"))
