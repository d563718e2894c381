"""CI jobs of many languages and tools: the lines that describe the failure are in the excerpt, and little else is."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import ci_jobs
from agreement import mean
from ci_jobs import Job, jobs
from result_table import Row, Table, digits

from kb.failures.lines import clean
from kb.triage.report import triage

FOLDER = str(ci_jobs.FOLDER)

_SHORT, _LONG = 40, 60
_FAILED = re.compile(
    r"The command .* exited with|Process completed with exit code|Job failed|script returned|xited with code"
)
_ERROR = re.compile(
    r"\b(?:error|err|fail\w*|exception|fatal|panic\w*|traceback|cannot|undefined reference|not found|segmentation fault"
    r"|abort\w*)\b|✗|✖",
    re.IGNORECASE,
)

Answer = Callable[[Job], Sequence[str]]


class _Score(NamedTuple):
    precision: float
    recall: float
    f1: float
    hit: bool
    half: bool
    lines: int


def measure(folder: Path) -> Table:
    """Strict precision, recall and F1 over lines, hit40 and R50/60 of all jobs; of kb and of what a script can do."""
    known, fresh = jobs("known"), jobs("fresh")
    both = [*jobs("known", long=True), *jobs("fresh", long=True)]
    return Table(
        name="CI jobs",
        size=f"{len(known)} jobs whose outputs were at hand while kb was mended, {len(fresh)} (fresh) with which it "
        "was only measured; long: the same with some 350 lines of what goes well around the failure.",
        protocol="Made for kb: outputs of tools of many languages, from runs or written after the tools' documented "
        "formats, between the lines of six CI services; the lines that describe the failure were marked before kb read "
        "them. kb: the primary failure's excerpt in `kb triage --json`. Strict: the multiset of lines that are not "
        f"blank, trimmed; macro means. hit{_SHORT}: such a line is among at most {_SHORT} lines; R50/{_LONG}: half of "
        f"them are among at most {_LONG}.",
        columns=("precision", "recall", "F1", f"hit{_SHORT}", f"R50/{_LONG}", "median lines"),
        ours=(
            _row("kb, fresh", fresh, _excerpt),
            _row("kb, known", known, _excerpt),
            _row("kb, fresh, long", jobs("fresh", long=True), _excerpt),
            _row("kb, known, long", jobs("known", long=True), _excerpt),
        ),
        given=(
            _row("25 lines before the first failed command, long", both, _before_failed),
            _row("last 25 lines, long", both, lambda job: job.text.split("\n")[-25:]),
            _row("all lines with an error word, long", both, _error_lines),
        ),
    )


def _row(who: str, some: Sequence[Job], answer: Answer) -> Row:
    scores = [_score(answer(job), job.described) for job in some]
    means = [mean([float(score[place]) for score in scores]) for place in range(5)]
    return Row(who, (*map(digits, means), f"{statistics.median(score.lines for score in scores):.0f}"))


def _score(answer: Sequence[str], described: Sequence[str]) -> _Score:
    ours, theirs = _counted(answer), _counted(described)
    shared = (ours & theirs).total()
    precision = shared / ours.total() if ours else 0.0
    recall = shared / theirs.total()
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    n = len(answer)
    return _Score(precision, recall, f1, bool(shared) and n <= _SHORT, recall >= 0.5 and n <= _LONG, n)


def _counted(lines: Sequence[str]) -> Counter[str]:
    return Counter(text for line in lines if (text := clean(line).strip()))


def _excerpt(job: Job) -> list[str]:
    report = triage(job.text.encode(), job.name, None, excerpts=True)
    if report.primary is None:
        return []
    return [shown.text for shown in report.failures[report.primary].excerpt if shown.number]


def _before_failed(job: Job) -> list[str]:
    lines = job.text.split("\n")
    at = next((place for place, line in enumerate(lines) if _FAILED.search(line)), len(lines))
    return lines[max(0, at - 25) : at]


def _error_lines(job: Job) -> list[str]:
    return [line for line in job.text.split("\n") if _ERROR.search(clean(line))]
