"""The report log of pytest (`--report-log` of pytest-reportlog): one JSON object per line, by `$report_type`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kb.capture.importers.reports import FailedTest, printed
from kb.capture.importers.source import (
    Losses,
    Source,
    json_lines,
    mapping,
    moment,
    number_of,
    objects,
    part,
    status_of,
    text_of,
)
from kb.capture.importers.told import Ran, Story

_COUNTED = {"TestReport", "CollectReport"}


def knows(_path: Path, head: bytes) -> bool:
    """Whether the first line names the type of a report."""
    return b'"$report_type"' in head.split(b"\n", 1)[0]


def read(source: Source) -> Story:
    """One run of pytest: its failed tests, its counts and its exit status."""
    losses = Losses()
    failed: list[FailedTest] = []
    counts: Counter[str] = Counter()
    starts: list[float] = []
    stops: list[float] = []
    status: int | None = None
    versions: dict[str, str] = {}
    for line in json_lines(source, losses):
        kind = text_of(line, "$report_type")
        if kind == "SessionStart" and text_of(line, "pytest_version"):
            versions["pytest"] = text_of(line, "pytest_version")
        elif kind == "SessionFinish":
            status = status_of(line, "exitstatus")
        elif kind in _COUNTED:
            starts += [one for one in (number_of(line, "start"),) if one]
            stops += [one for one in (number_of(line, "stop"),) if one]
            outcome = text_of(line, "outcome")
            if outcome == "failed":
                failed.append(_failed(line, kind == "CollectReport"))
                counts["errors" if kind == "CollectReport" or line.get("when") != "call" else "failed"] += 1
            elif kind == "TestReport" and (line.get("when") == "call" or outcome == "skipped"):
                counts[outcome or "other"] += 1
    order = {what: counts.pop(what, 0) for what in ("failed", "errors", "passed", "skipped")} | dict(counts)
    seconds = max(stops) - min(starts) if starts and stops else None
    began = moment(min(starts)) if starts else None
    lost = losses.told() if status is not None else (*losses.told(), "the end of the run (the log was cut)")
    ran = Ran("pytest", printed(failed, order), status, seconds, "", began)
    unknown = ("with which arguments pytest was run: a report log does not say",)
    return Story((ran,), started=began, components=versions, lost=lost, unknown=unknown)


def _failed(line: Mapping[str, Any], collected: bool) -> FailedTest:
    name = text_of(line, "nodeid") or "a test"
    sections = part(line, "sections")
    captured = tuple(
        (str(one[0]), str(one[1])) for one in (sections if isinstance(sections, list) else []) if _is_pair(one)
    )
    text = "\n".join(_longrepr(line.get("longrepr")))
    return FailedTest(f"ERROR collecting {name}" if collected else name, text, captured)


def _is_pair(one: Any) -> bool:
    return isinstance(one, list) and len(one) == 2


def _longrepr(value: Any) -> Iterator[str]:
    """The report of a failure as pytest prints it: the chain of tracebacks, each entry with its place."""
    if isinstance(value, str):
        yield value
        return
    text = text_of(value, "longrepr")
    if text:
        yield text
        return
    chain = part(value, "chain")
    links = chain if isinstance(chain, list) and chain else [[mapping(value, "reprtraceback"), None, None]]
    for link in links:
        yield from _traceback(mapping(link, 0))
        said = part(link, 2)
        if isinstance(said, str):
            yield from ("", said, "")


def _traceback(traceback: Mapping[str, Any]) -> Iterator[str]:
    for entry in objects(traceback, "reprentries"):
        lines = part(entry, "data", "lines")
        yield from (line for line in (lines if isinstance(lines, list) else []) if isinstance(line, str))
        place = mapping(entry, "data", "reprfileloc")
        if place:
            yield ""
            yield f"{text_of(place, 'path')}:{int(number_of(place, 'lineno') or 0)}: {text_of(place, 'message')}"
