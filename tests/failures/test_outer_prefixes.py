"""What a tool puts before every line of a log changes no failure: what failed, and its words, stay the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb.failures.find import Found, find_failures
from kb.failures.lines import decode

#: Logs of `srun --label`, and of a worker that writes the time before each line, have a frame of their own, and frames
#: do not nest; exports of JSON and reports of XML are files, not output.
FRAMED = {
    "gcloud-logging-array",
    "aws-lambda-events",
    "slurm-label-rank",
    "slurm-label-one-rank",
    "robot-xml-healthy",
    "rq-horse-killed",
}
CASES = sorted(
    path.parent for path in (Path(__file__).parent / "golden").glob("*/input.log") if path.parent.name not in FRAMED
)

FORMS: dict[str, Callable[[int, str], str]] = {
    "grep -n": lambda number, line: f"{number}:{line}",
    "grep -Hn": lambda number, line: f"app.log:{number}:{line}",
    "Jenkins timestamper": lambda number, line: f"10:{number // 60 % 60:02d}:{number % 60:02d}  {line}",
    "srun --label of one task": lambda _, line: f"0: {line}",
    "docker compose": lambda _, line: f"web-1  | {line}",
    "kubectl logs --prefix": lambda _, line: f"[pod/web-0/app] {line}",
    "GitHub Actions": lambda _, line: f"2026-07-30T13:21:30.7846808Z {line}",
    "indented in a mail": lambda _, line: f"    {line}",
    "quoted in a mail": lambda _, line: f"> {line}",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_prefix_of_all_lines_changes_no_failure(form: str) -> None:
    for case in CASES[sorted(FORMS).index(form) % 3 :: 3]:
        text = decode((case / "input.log").read_bytes())
        lines = text.rstrip("\n").split("\n")
        if len(lines) < 3 or len(text) > 50_000 or "\r" in text:
            continue
        framed = "".join(f"{FORMS[form](number, line)}\n" for number, line in enumerate(lines, 1))
        assert _told(find_failures(framed)) == _told(find_failures(text)), case.name


def _told(found: Found) -> tuple[str, str] | None:
    return None if found.primary is None else found.failures[found.primary][1:3]


def test_a_label_of_a_whole_container_gathers_no_table_into_a_message() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/srv/run.py", line 3, in main\n'
        "    launch()\n"
        "launch.ChildError: \n"
        "==========\n"
        "rank 1 FAILED\n"
    )
    report = "".join(f"web-1  | {line}\n" for line in text.splitlines())
    for log in (report, f"db-1   | ready\n{report}db-1   | stopping\n"):
        (failure,) = find_failures(log).failures
        assert failure.message == ""
