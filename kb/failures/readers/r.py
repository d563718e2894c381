"""R: errors of Rscript with their calls, conditions of rlang with their parents, crashes of the interpreter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "r"
ABOUT = "R: errors with their calls, rlang conditions with parents, crashes"
EXAMPLE = """\
Error in d$y/d$width : non-numeric argument to binary operator
Calls: fit -> slope
Execution halted
"""

_IN = re.compile(
    r"(?:Error in|Fehler in|Erreur dans|Error en|Errore in|Erro em|Ошибка в|错误于|Błąd w) ?(?P<call>.{1,400}?)"
    r"[ \xa0]?: ?(?P<message>.*)$"
)
#: What R begins an error with, in its languages.
_WORDS = ("Error", "Fehler", "Erreur", "Erro", "Ошибка", "错误于", "Błąd")
_TICKED = re.compile(r"(?:Error|Caused by error)(?: in `(?P<call>[^`\n]{1,300})`)?:(?P<message> ?.*)$")
_CALLS = re.compile(r"(?:Calls|Ruft auf|Appels|Chiamate|Вызовы|Wywołania)[ \xa0]?: (?P<calls>\S.*)$")
_HALTED = frozenset({
    "Execution halted", "Ausführung angehalten", "Exécution arrêtée", "Ejecución interrumpida",
    "Esecuzione interrotta", "Execução interrompida", "Выполнение остановлено", "停止执行", "Wykonywanie wstrzymane",
})  # fmt: skip
#: How testthat heads what one expectation says; another head, a rule or a count ends it.
_EXPECTED = re.compile(r"── Failure \((?P<place>[^()\n]{1,300})\): (?P<test>\S.{0,400}?) ─{1,200}$")
_EXPECTED_END = re.compile(r"── |══|\[ FAIL |Backtrace:")
_TEST_PLACE = re.compile(r"'?(?P<file>[^':\n]{1,280})'?:(?P<line>\d{1,7})")
_TESTS_FAILED = re.compile(r"Error: Test failures$")
_CRASH = re.compile(r" \*\*\* caught (?P<what>segfault|bus error|illegal operation|access violation) \*\*\*$")
_CAUSE = re.compile(r"address \S{1,40}, cause '(?P<cause>[^'\n]{1,200})'")
_TRACE = re.compile(r" {0,3}(?P<number>\d{1,5}): (?P<function>[^\s(]{1,300})\(")
_REPORT = 60


def read(lines: Stream) -> Iterator[Find]:
    """Every error that ended a script, tied to its parents; every crash with the calls that were open."""
    for index, line in enumerate(lines):
        text = line.text
        if (crash := _CRASH.match(text)) is not None:
            yield _crash(lines, index, crash)
        elif text.startswith("── Failure") and (expected := _EXPECTED.match(text)) is not None:
            yield _unmet(lines, index, expected)
        elif _TESTS_FAILED.match(text):
            find = spotted(NAME, "error", "Error", "Test failures", line, [line], language=NAME, weight=2)
            find.cascade = "testthat reports that tests failed"
            yield find
        elif text.startswith(_WORDS) and (match := _TICKED.match(text) or _IN.match(text)):
            end = _end(lines, index)
            if end is not None:
                yield from _error(lines, index, end, match)


def _unmet(lines: Stream, at: int, head: re.Match[str]) -> Find:
    """What testthat tells of an expectation that was not met."""
    end = at + 1
    while end < len(lines) and end - at < _REPORT and not _EXPECTED_END.match(lines[end].text):
        end += 1
    said = [line for line in lines[at + 1 : end] if line.text.strip()]
    while end > at + 1 and not lines[end - 1].text.strip():
        end -= 1
    place = _TEST_PLACE.match(head["place"])
    frames = (Frame(place["file"], head["test"], int(place["line"])),) if place else ()
    return spotted(
        NAME, "error", "Failure", "\n".join(line.text.strip() for line in said[:9]), said[0] if said else lines[at],
        lines[at:end], language=NAME, frames=frames, notes=(head["test"],),
    )  # fmt: skip


def _end(lines: Stream, at: int) -> int | None:
    """The index after the report, which ends with R's own last line; None when this is no error of R."""
    called = None
    for index in range(at + 1, min(at + _REPORT, len(lines))):
        if lines[index].text.strip() in _HALTED:
            return index + 1
        if _EXPECTED_END.match(lines[index].text) and not lines[index].text.startswith("Backtrace"):
            return index
        if called is None and _CALLS.match(lines[index].text):
            called = index + 1
        if lines[index].record:
            break
    # A script that handles its errors itself ends without R's last line.
    return called


def _error(lines: Stream, at: int, end: int, match: re.Match[str]) -> Iterator[Find]:
    first, where = _message(lines, at, end, match)
    frames = _called(lines, at, end, match)
    if first == "cannot open the connection":
        # Why stands in the warning that R prints after it.
        why = next((ln.text.strip() for ln in lines[at:end] if ln.text.startswith("  cannot open ")), "")
        first = f"{first}\n{why}".strip()
    # The message may stand on its own line, below the call.
    find = spotted(NAME, "error", "Error", first, lines[where], lines[at:end], language=NAME, frames=frames)
    yield find
    outer = find
    for index in range(at + 1, end):
        parent = _TICKED.match(lines[index].text) if lines[index].text.startswith("Caused by error") else None
        if parent is None:
            continue
        message, where = _message(lines, index, end, parent)
        call = (parent["call"] or "").partition("(")[0]
        inner = spotted(
            NAME, "error", "Error", message, lines[where], lines[index : where + 1], language=NAME,
            frames=(Frame("", call),) if call else (),
        )  # fmt: skip
        outer.inner.append(("cause", inner))
        yield inner
        outer = inner


def _message(lines: Stream, at: int, end: int, match: re.Match[str]) -> tuple[str, int]:
    said = (match.groupdict().get("message") or "").strip()
    if said:
        return said, at
    for index in range(at + 1, min(at + 3, end)):
        text = lines[index].text.strip()
        if text and text not in _HALTED:
            return text.removeprefix("! "), index
    return "", at


def _called(lines: Stream, at: int, end: int, match: re.Match[str]) -> tuple[Frame, ...]:
    for line in lines[at:end]:
        calls = _CALLS.match(line.text)
        if calls is not None:
            return tuple(Frame("", name.strip()) for name in calls["calls"].split(" -> ") if name.strip() != "...")
    call = re.match(r"[\w.:]{1,200}(?=\()", match.groupdict().get("call") or "")
    return (Frame("", call[0]),) if call else ()


def _crash(lines: Stream, at: int, match: re.Match[str]) -> Find:
    index = at + 1
    frames: list[Frame] = []
    cause = ""
    while index < min(at + 200, len(lines)):
        text = lines[index].text
        if (why := _CAUSE.match(text)) is not None:
            cause = why["cause"]
        elif (call := _TRACE.match(text)) is not None:
            frames.append(Frame("", call["function"]))
        elif frames or (text.strip() and not text.startswith(("Traceback", "address"))):
            break
        index += 1
    message = f"caught {match['what']}" + (f", cause '{cause}'" if cause else "")
    return spotted(
        NAME, "crash", match["what"], message, lines[at], lines[at:index], language=NAME, frames=tuple(reversed(frames))
    )
