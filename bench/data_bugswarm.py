"""BugSwarm's analyzer logs: the names of the tests that failed are in what kb says of a CI log."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path

from agreement import mean
from result_table import Row, Table, digits

from kb.failures.find import find_failures
from kb.failures.lines import clean, raw_lines
from kb.failures.model import Failure

FOLDER = "bugswarm-failed-tests"

_LIMIT = 40
_GIVEN = (
    Row("last 100 lines", (".565", "100")),
    Row("50 lines before the first failed command", (".411", "50")),
    Row("25-line window with most error words", (".161", "25")),
    Row("all lines with an error word", (".760", "43")),
    Row("the same and 3 lines on both sides", (".908", "137")),
)


def measure(folder: Path) -> Table:
    """Macro recall of the names, and how many lines or failures had to be read for it."""
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    chunks: list[float] = []
    listed: list[float] = []
    sizes: list[int] = []
    counts: list[int] = []
    for one in expected:
        names = one["failed_tests"] or one["failed_tests_include"]
        text = (folder / "logs" / one["file"]).read_text("utf-8", "replace")
        found = find_failures(text)
        chunk = _chunk(text, found.failures, found.primary)
        chunks.append(recall(names, "\n".join(chunk)))
        listed.append(recall(names, "\n".join(map(_told, found.failures))))
        sizes.append(len(chunk))
        counts.append(len(found.failures))
    lines, failures = f"{statistics.median(sizes):.0f}", f"{statistics.median(counts):.0f} failures"
    return Table(
        name="BugSwarm failed tests",
        size=f"{len(expected)} CI logs, {sum(len(o['failed_tests'] or o['failed_tests_include']) for o in expected)} "
        "names.",
        protocol="A name is found when its last two parts occur; macro recall over the logs. Lines: the first and the "
        f"own line of each failure, the primary's first, then its report, {_LIMIT} at most. Failures: own line, type, "
        "message, notes and frames of each.",
        columns=("recall", "median returned"),
        ours=(
            Row(f"kb, at most {_LIMIT} lines", (digits(mean(chunks)), lines)),
            Row("kb, all failures", (digits(mean(listed)), failures)),
        ),
        given=_GIVEN,
    )


def recall(names: list[str], text: str) -> float:
    """The share of `names` whose last two parts both occur in `text`."""
    return mean([all(part in text for part in _parts(name)) for name in names])


def _parts(name: str) -> list[str]:
    return [part for part in re.split(r"::|[.\[\]()]", name) if part][-2:]


def _chunk(text: str, failures: tuple[Failure, ...], primary: int | None) -> list[str]:
    if primary is None:
        return []
    first = failures[primary]
    numbers = dict.fromkeys(number for one in (first, *failures) for number in (one.first_line, one.line))
    numbers.update(dict.fromkeys(range(first.first_line, first.last_line + 1)))
    lines = raw_lines(text)
    return [clean(lines[number - 1]) for number in list(numbers)[:_LIMIT]]


def _told(failure: Failure) -> str:
    frames = (f"{frame.function} {frame.file} {frame.source}" for frame in failure.frames)
    return "\n".join((failure.text, failure.type, failure.message, *failure.notes, *frames))
