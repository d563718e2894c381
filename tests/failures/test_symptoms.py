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
