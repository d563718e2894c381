"""Python tracebacks that two processes without labels printed at the same time, line by line through each other.

Each line of such a region is given to one of the open tracebacks. What fits is judged by the grammar (a source line
stands after a frame, marks after their source line) and by continuity: the source line of a frame names the function
of the next. All ways to share the lines out are followed side by side, the few best kept; only if one is clearly the
best are the tracebacks taken apart. Otherwise their exceptions are kept without frames.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple, Protocol

from kb.failures.last_error import goes_on

HEADER = "Traceback (most recent call last)"
_KEPT = 16
_TRACES = 4
_LONGEST = 400
_FILES = 20
_ODD = 4
_NAMES = ("Error", "Exception", "Interrupt", "Exit", "Iteration", "Timeout", "Expired", "NotFound", "Group", "Failed")
_MARGIN = 0.5
#: What a source line holds, one of these, when it raises by itself the exception of this name.
_SIGNS = {
    "KeyError": ("[", ".pop(", "environ"),
    "IndexError": ("[", ".pop("),
    "ZeroDivisionError": ("/", "%", "divmod"),
    "ModuleNotFoundError": ("import",),
    "ImportError": ("import",),
    "AttributeError": (".", "getattr"),
    "FileNotFoundError": ("(",),
    "PermissionError": ("(",),
    "IsADirectoryError": ("(",),
    "ConnectionRefusedError": ("(",),
    "TimeoutError": ("(",),
}


class Spoken(Protocol):
    """A line of a stream, as far as it matters here."""

    @property
    def text(self) -> str: ...
    @property
    def record(self) -> bool: ...


class Untangled(NamedTuple):
    """One traceback out of a tangle: places of its lines in the stream; `sure` if its frames are its own."""

    places: tuple[int, ...]
    sure: bool


class Tangle(NamedTuple):
    """A region of a stream, from its first line to the one after its last, and the tracebacks in it."""

    start: int
    end: int
    traces: tuple[Untangled, ...]


class _Trace(NamedTuple):
    """A traceback as far as it was read: its lines, the kind of the last one, and the source line printed last."""

    places: tuple[int, ...]
    last: str
    source: str = ""
    files: tuple[str, ...] = ()
    tail: tuple[int, ...] = ()  # further lines of the exception's message, which stand at the margin


class _Way(NamedTuple):
    """One way to share the lines out: its tracebacks, and what speaks against it."""

    traces: tuple[_Trace, ...]
    against: float


class _Patterns(NamedTuple):
    frame: re.Pattern[str]
    exception: re.Pattern[str]
    word: re.Pattern[str]
    marks: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    return _Patterns(
        re.compile(r'\s*File "(?P<file>[^"]{1,4096})", line \d{1,9}(?:, in (?P<function>.*))?$'),
        re.compile(r"(?P<type>[A-Za-z_][\w.]{0,200})(?:: .*)?$"),
        re.compile(r"\w+"),
        re.compile(r" {2,8}(?=[~^:])|[~^]+"),
    )


def tangles(lines: Sequence[Spoken]) -> Iterator[Tangle]:
    """The tangles of a stream in their order; a stream of whole tracebacks, one after the other, has none."""
    heads = [place for place, line in enumerate(lines) if HEADER in line.text and _bare(line.text)]
    after = 0
    for one, other in pairwise(heads):
        if one < after or other - one > _LONGEST:
            continue
        kinds = [kind_of(lines[place]) for place in range(one + 1, other)]
        if "exception" in kinds or "header" in kinds or kinds.count("other") > _ODD:
            continue
        tangle, after = _tangle(lines, one)
        if tangle is not None:
            yield tangle


def _bare(text: str) -> bool:
    return text.strip() == HEADER + ":"


def kind_of(line: Spoken) -> str:
    """What the grammar of tracebacks says of a line: header, frame, source, marks, exception or other."""
    text = line.text
    if _bare(text):
        return "header"
    if line.record or not text.strip():
        return "other"
    if _patterns().frame.match(text):
        return "frame"
    if not text.strip(" ^~"):
        return "marks"
    if text.startswith("    ") and not ("~" in text and _exception(unmarked(text))):
        return "source"
    return "exception" if _exception(unmarked(text)) else "other"


def _plain(text: str) -> bool:
    """Whether a line is a program's own, printed between those of the tracebacks."""
    return text[:1].isalpha() and 'File "' not in text and "Traceback" not in text and ", line " not in text


def unmarked(text: str) -> str:
    """An exception line without the marks of another traceback that ran into it."""
    if "~" not in text and "^" not in text:
        return text
    return _patterns().marks.sub("", text).strip()


def _exception(text: str) -> str:
    """The type that an exception line names, or ""."""
    match = _patterns().exception.match(text)
    name = match["type"].rsplit(".", 1)[-1] if match else ""
    return name if name[:1].isupper() and (name.endswith(_NAMES) or (match and "." in match["type"])) else ""


def _tangle(lines: Sequence[Spoken], start: int) -> tuple[Tangle | None, int]:
    """The tangle that begins at `start`, if it is one, and the place up to which the lines were looked at."""
    ways = [_Way((), 0.0)]
    heads = ends = odd = plain = 0
    place = start
    while place < len(lines) and place - start < _LONGEST:
        if place > start and goes_on(lines[place - 1].text, lines[place].text):
            ways = [_further(way, place) for way in ways]
            place += 1
            continue
        kind = kind_of(lines[place])
        if lines[place].record or odd + plain > _ODD or (kind == "header" and heads == _TRACES):
            break
        heads += kind == "header"
        ends += kind == "exception"
        if kind == "other":
            if _plain(lines[place].text):
                plain += 1
            else:
                odd += 1  # two lines that ran into one another, or their halves
        else:
            ways = _best([after for way in ways for after in _give(way, place, kind, lines[place].text)])
        place += 1
        if heads > 1 and ends == heads:
            break
        if heads == ends:
            return None, place  # the first ended before another began
    while start < place < min(len(lines), start + _LONGEST) and goes_on(lines[place - 1].text, lines[place].text):
        ways = [_further(way, place) for way in ways]
        place += 1
    if heads < 2 or not ends or not ways:
        return None, place
    first, *rest = sorted(
        (way._replace(against=way.against - _whole(way)) for way in ways), key=lambda way: way.against
    )
    sure = not odd and not any(other.against < first.against + _MARGIN for other in rest)
    if ends < 2 and not (sure and _passes(first)):
        return None, place  # a traceback that was cut, and a whole one after it
    return Tangle(start, place, _share(first, sure)), place


def _further(way: _Way, place: int) -> _Way:
    """`way` with the line at `place` given to the traceback whose message the line before it belongs to."""
    return way._replace(
        traces=tuple(
            trace._replace(tail=(*trace.tail, place))
            if trace.last == "exception" and (trace.tail or trace.places)[-1] == place - 1
            else trace
            for trace in way.traces
        )
    )


def _whole(way: _Way) -> float:
    """What speaks for a way in which one traceback stands whole inside another: it was printed in one go."""
    return _MARGIN * any(trace.places[-1] - trace.places[0] == len(trace.places) - 1 for trace in way.traces[1:])


def _passes(way: _Way) -> bool:
    """Whether a line of one traceback stands behind one of a traceback that began later."""
    return any(a.places[-1] > b.places[0] for a, b in pairwise(way.traces))


def _share(way: _Way, sure: bool) -> tuple[Untangled, ...]:
    if sure:
        return tuple(Untangled((*trace.places, *trace.tail), True) for trace in way.traces)
    shared = []
    heads = [trace.places[0] for trace in way.traces]
    ends = sorted((trace.places[-1], *trace.tail) for trace in way.traces if trace.last == "exception")
    for index, head in enumerate(heads):
        if index < len(ends):
            shared.append(Untangled((head, *ends[index]), False))
    return tuple(shared)


def _best(ways: list[_Way]) -> list[_Way]:
    """The ways with least against them; of those that share the lines out alike, one."""
    kept: dict[tuple[tuple[int, ...], ...], _Way] = {}
    for way in sorted(ways, key=lambda way: way.against):
        kept.setdefault(tuple(trace.places for trace in way.traces), way)
        if len(kept) == _KEPT:
            break
    return list(kept.values())


def _give(way: _Way, place: int, kind: str, text: str) -> Iterator[_Way]:
    """The ways that come of giving the line at `place` to each traceback that can take it."""
    if kind == "header":
        yield _Way((*way.traces, _Trace((place,), "header")), way.against)
        return
    fresh = False
    for index, trace in enumerate(way.traces):
        if trace.last == "exception" or (trace.last == "header" and (fresh or kind != "frame")):
            continue
        fresh = fresh or trace.last == "header"
        others = (*way.traces[:index], *way.traces[index + 1 :])
        grown = _Trace(
            (*trace.places, place), kind, text.rstrip() if kind == "source" else trace.source, _files(trace, kind, text)
        )
        misfit = _misfit(trace, kind, text) + (_stray(grown, trace, others) if kind == "frame" else 0.0)
        yield _Way((*way.traces[:index], grown, *way.traces[index + 1 :]), way.against + misfit)
    if all(trace.last == "exception" for trace in way.traces):
        yield _Way(way.traces, way.against + 2)


def _files(trace: _Trace, kind: str, text: str) -> tuple[str, ...]:
    match = _patterns().frame.match(text) if kind == "frame" else None
    return trace.files if match is None or match["file"] in trace.files else (*trace.files, match["file"])[-_FILES:]


def _stray(grown: _Trace, trace: _Trace, others: tuple[_Trace, ...]) -> float:
    """Whether the frame that `grown` got is in a file that another traceback is in, and `trace` was not yet."""
    new = grown.files[-1:] if grown.files != trace.files else ()
    return 1.0 if new and any(new[0] in other.files for other in others) else 0.0


def _misfit(trace: _Trace, kind: str, text: str) -> float:
    """How badly a line of this kind follows the last one of `trace`: 0 fits, 1 and more hardly happens."""
    if kind == "frame":
        match = _patterns().frame.match(text)
        return _call(trace, (match["function"] or "") if match else "")
    if kind == "source":
        return 0.0 if trace.last == "frame" else 1.5
    if kind == "marks":
        return 2.0 if trace.last != "source" else 0.0 if _marks(trace.source, text) else 1.0
    return _raised(trace, _exception(unmarked(text)))


def _call(trace: _Trace, function: str) -> float:
    """Whether a frame of `function` follows: the source line before it names what it calls."""
    if trace.last == "header":
        return 0.0 if function == "<module>" else 0.25
    if trace.last == "frame":
        return 1.0 if trace.source else 0.5
    if function == "<module>":
        return 0.25 if "import" in trace.source or "exec" in trace.source else 2.0
    if function.rsplit(".", 1)[-1] in _patterns().word.findall(trace.source):
        return 0.0
    return 0.25 if function.startswith(("__", "<")) or function in ("wrapper", "inner", "wrapped") else 1.0


def _marks(source: str, marks: str) -> bool:
    """Whether the marks stand under whole words of `source`."""
    first, end = len(marks) - len(marks.lstrip()), len(marks.rstrip())
    if end > len(source):
        return False
    return not (_inside(source, first) or _inside(source, end))


def _inside(source: str, at: int) -> bool:
    return 0 < at < len(source) and bool(_patterns().word.fullmatch(source[at - 1 : at + 1]))


def _raised(trace: _Trace, name: str) -> float:
    source = trace.source.strip()
    if trace.last == "header":
        return 1.0
    if trace.last == "frame":
        return 0.5 if source else 0.0
    if source.startswith("raise "):
        return 0.0 if name in source or source[6:7].islower() else 0.5
    if source.startswith("assert ") != (name == "AssertionError"):
        return 0.5
    return 0.0 if any(sign in source for sign in _SIGNS.get(name, ("",))) else 0.5
