"""A log that holds only what reports a failure says so, and where to look: which process, which file, which switch.

`symptoms/NAME.log` is such a log, `symptoms/NAME.hints.txt` what the hints must hold, one text a line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.failures.find import find_failures

LOGS = sorted((Path(__file__).parent / "symptoms").glob("*.log"))


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_a_log_of_symptoms_says_where_the_root_is(log: Path) -> None:
    found = find_failures(log.read_bytes())
    assert found.symptom_only
    said = "\n".join(found.hints)
    for wanted in log.with_suffix(".hints.txt").read_text("utf-8").splitlines():
        assert wanted in said


def test_there_are_logs_of_many_worlds() -> None:
    assert len(LOGS) >= 14


@pytest.mark.parametrize(
    "last", ["srun: error: node17: task 0: Exited with exit code 1", "trainer-1 exited with code 1"]
)
def test_a_report_that_a_program_wrote_says_more_than_the_exit_status_of_what_started_it(last: str) -> None:
    log = (
        "Traceback (most recent call last):\n"
        '  File "/srv/pool.py", line 8, in run\n'
        "    future.result()\n"
        "concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly\n"
    )
    found = find_failures(f"{log}{last}\n")
    assert found.symptom_only
    assert found.primary is not None
    assert found.failures[found.primary].type == "concurrent.futures.process.BrokenProcessPool"
    alone = find_failures(f"{last}\n")
    assert alone.symptom_only
