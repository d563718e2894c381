"""The last words of a program that ended by itself: a complaint that no level word marks as an error.

Looked for only where a log tells that a program ended with a failure and nothing in it says why.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from kb.failures.found import Find, spotted
from kb.failures.phrases import is_noise
from kb.failures.streams import Line, Stream
from kb.failures.system_words import system_words

#: So many lines that say something are looked at, from the end on.
_LOOKED_AT = 16
_LONGEST = 1000
_MOST = 20
_QUIET = frozenset({"debug", "trace", "warning"})
_WEIGHT = 3


class _Patterns(NamedTuple):
    ended: re.Pattern[str]
    test: re.Pattern[str]
    test_over: re.Pattern[str]
    complaint: re.Pattern[str]
    begun: re.Pattern[str]
    mild: re.Pattern[str]
    relayed: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    return _Patterns(
        # reports of an end with a failure; a group names whose it was, else it was what stands above
        re.compile(
            r"(?P<unit>[\w@.-]{1,100})\.service: (?:Main|Control) process exited, code=exited, status=[1-9]"
            r"|(?P<container>[\w.-]{1,100}) exited with code [1-9]"
            r"|Process completed with exit code [1-9]|ERROR: Job failed: |script returned exit code [1-9]"
            r"|The command .{0,200}exited with (?:status )?[1-9]|Command exited with code [1-9]"
            r"|Exited with code (?:exit status )?[1-9]|returned a non-zero code: [1-9]"
            r"|did not complete successfully: exit code: [1-9]"
            # but for the trial builds by which CMake finds out what there is
            r"|make(?:\[\d{1,4}\])?: \*\*\* \[(?!.{0,2000}\bcmTC_[0-9a-f]).{1,2000}\] Error [1-9]"
            r"|Process 'command '.{1,500}'' finished with non-zero exit value"
            r"|: exit [1-9]\d{0,4} \(\d[\d.]{0,20} seconds\) |nox > Command .{1,2000} failed with exit code"
            r"|\b(?:failed|exited) with (?:exit|return) (?:code|status) [1-9]"
            r"|MPI_ABORT was invoked on rank|rake aborted!|^Command failed with status \([1-9]"
            r"|error: [Rr]ecipe `[^`]{1,200}` .{0,40}with exit code|ninja: build stopped: subcommand failed"
            r"|: Bad exit status from \S{1,200} \(%|\bdh_\w+: error: .{1,300} returned exit code [1-9]"
        ),
        # a test that failed; what it printed stands below
        re.compile(r"\s*\d{1,6}/\d{1,6} Test\s+#\d{1,6}: .{1,300}\*\*\*Failed"),
        re.compile(r"\s*(?:Start\s+\d{1,6}: |\d{1,6}/\d{1,6} Test\s+#)|\d{1,3}% tests passed"),
        re.compile(
            r"permission denied|no such |not permitted|\b(?:cannot|can't|could not|couldn't|unable to|failed to) "
            r"|\bfailed\b(?!: 0)|\bis (?:not|missing|required|invalid)\b|\bmissing\b|\binvalid\b|\bunknown\b"
            r"|\bnot (?:set|found|defined|allowed|supported|given|exist|installed|available)\b|\brequired\b|\bmust "
            r"|\bdenied\b|\brefused\b|already (?:exists|in use)|no space left|timed out|unauthori[sz]ed|forbidden"
            r"|\bmismatch|\bunexpected|\bno value\b|too (?:many|large|long)|\bexpired\b|\busage: "
            r"|\bFAIL(?:ED|URE)?\b|\berrors?\b(?! handling)|\bexception\b|\bunsupported\b|\bdoes(?:n't| not)\b"
            r"|\bexpected\b.{1,200}\b(?:got|found|but|was|actual)\b|\bwant\b.{1,200}\b(?:have|got)\b"
            r"|, expected \S|\bno \w{1,30}(?: \w{1,30})? (?:is|are|was|were|has|have)\b"
            r"|\bno (?:\w{1,30} ){1,4}(?:found|available|given|specified|configured)\b"
            r"|\bno package '|\bcan't get\b|\bgot\b.{1,200}\b(?:want|expected)\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"##\[group\]|section_start:|\$ |\+ |--- |~~~ |Started |Starting |> Task :\S{1,300}$"
            r"|\[\d{1,6}/\d{1,6}\] |nox > "
        ),
        re.compile(
            r"\b(?:warn(?:ing)?|info|debug|notice|deprecated|retry(?:ing)?|skipp(?:ed|ing))\b|\b0 failed|✓|✔|^#"
            r"|^(?:> Task )?:\S{1,300} FAILED$"
            # how pip marks where the output of another begins and ends
            r"|^\s*(?:╰─> )?\[(?:end of|\d{1,7} lines? of) output\]$",
            re.IGNORECASE,
        ),
        # how a program sets the output of another that it repeats
        re.compile(r"\s{0,40}(?:[|>│] ?|\s{2})(?=\S)"),
    )


def last_words(streams: Sequence[Stream], finds: Sequence[Find]) -> Iterator[Find]:
    """For each program that `finds` say has ended with a failure, the line in which it complained last, if any."""
    taken = frozenset().union(*(find.lines for find in finds))
    told: set[int] = set()
    for find in finds[:_MOST]:
        if _patterns().test.match(find.at.text[:_LONGEST]):
            yield from _of_test(streams, find.at, taken)
            continue
        ended = _patterns().ended.search(find.at.text[:_LONGEST])
        if ended is None:
            continue
        name = ended["unit"] or ended["container"]
        repeated = None if name else _relayed(streams, find.at, taken)
        if repeated is not None:
            if repeated.number not in told:
                told.add(repeated.number)
                text = _patterns().relayed.sub("", repeated.text, count=1).strip()
                yield spotted("general", "error-line", "error", text, repeated, [repeated], weight=_WEIGHT)
            continue
        for stream in streams:
            line = _complaint(stream, find.at, name, taken) if _of(stream, find.at, name) else None
            if line is not None and line.number not in told:
                told.add(line.number)
                yield spotted("general", "error-line", "error", line.text.strip(), line, [line], weight=_WEIGHT)


def _of_test(streams: Sequence[Stream], at: Line, taken: frozenset[int]) -> Iterator[Find]:
    """What the failed test that CTest names at `at` printed: its first complaint, else its last line."""
    patterns = _patterns()
    stream = next((stream for stream in streams if any(line is at for line in stream)), ())
    start = next((place for place, line in enumerate(stream) if line is at), len(stream)) + 1
    said: list[Line] = []
    for line in stream[start : start + 4 * _LOOKED_AT]:
        if patterns.test_over.match(line.text):
            break
        if line.text.strip() and line.number not in taken and line.level not in _QUIET:
            said.append(line)
    told = [line for line in said if patterns.complaint.search(line.text[:_LONGEST])] or said[-1:]
    for line in told[:1]:
        yield spotted("general", "error-line", "error", line.text.strip(), line, [line], weight=_WEIGHT)


def _relayed(streams: Sequence[Stream], at: Line, taken: frozenset[int]) -> Line | None:
    """What the program that ended said last, where the one that tells of it at `at` repeats its output right below."""
    patterns = _patterns()
    stream = next((stream for stream in streams if any(line is at for line in stream)), ())
    start = next((place for place, line in enumerate(stream) if line is at), len(stream)) + 1
    said: list[Line] = []
    for line in stream[start : start + 4 * _LOOKED_AT]:
        if line.level != at.level or line.number in taken or patterns.relayed.match(line.text) is None:
            break
        if not patterns.mild.search(line.text[:_LONGEST]):
            said.append(line)
    told = [line for line in said if patterns.complaint.search(line.text[:_LONGEST])] or said
    return told[-1] if told else None


def _of(stream: Stream, at: Line, name: str | None) -> bool:
    if name:
        return any(line.process == name for line in stream[:_MOST])
    return any(line is at for line in stream)


def _complaint(stream: Stream, at: Line, name: str | None, taken: frozenset[int]) -> Line | None:
    """The nearest complaint before `at` in `stream`, among the last lines of the same step that say something."""
    patterns, seen, found = _patterns(), 0, None
    end = next((place for place, line in enumerate(stream) if line.number >= at.number), len(stream))
    for line in reversed(stream[max(0, end - 4 * _LOOKED_AT) : end]):
        text = line.text.strip()[:_LONGEST]
        if not text or line.number in taken or (name and line.process != name):
            continue
        if found is not None and text.partition(": ")[0] != found.text.strip().partition(": ")[0]:
            return found
        if patterns.begun.match(text):
            return found
        seen += 1
        if seen > _LOOKED_AT:
            return found
        if line.level in _QUIET or patterns.mild.search(text) or is_noise(text):
            continue
        if patterns.complaint.search(text) or system_words(text):
            # Of several lines of one part of the program, the first says what was wrong.
            if ": " not in text:
                return found or line
            found = line
    return found
