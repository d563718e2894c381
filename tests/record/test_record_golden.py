"""Golden records: `golden/CASE.md` with the problems it has, and the canonical form of what was read.

`CASE.problems` holds one problem a line (no such file: no problems), `CASE.canonical` what the writer makes of the
session (no such file: the same text, or nothing where no session could be read).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.errors import Problem
from kb.record.folder import read_bytes
from kb.record.problems import CODES, problems_json
from kb.record.reader import read_below, read_session
from kb.record.writer import write_session

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(path.stem for path in GOLDEN.glob("*.md"))


def line(problem: Problem) -> str:
    hint = f" ({problem.hint})" if problem.hint else ""
    return f"{problem.location.line}: {problem.code}: {problem.message}{hint}\n"


def expected(case: str, suffix: str, default: str) -> str:
    path = GOLDEN / f"{case}{suffix}"
    return path.read_text("utf-8") if path.exists() else default


@pytest.mark.parametrize("case", CASES)
def test_a_record_has_the_problems_that_are_listed_beside_it(case: str) -> None:
    reading = read_bytes((GOLDEN / f"{case}.md").read_bytes(), f"{case}.md")
    assert "".join(map(line, reading.problems)) == expected(case, ".problems", "")


@pytest.mark.parametrize("case", CASES)
def test_what_could_be_read_has_the_canonical_form_that_lies_beside_it(case: str) -> None:
    data = (GOLDEN / f"{case}.md").read_bytes()
    session = read_bytes(data, f"{case}.md").session
    written = "" if session is None else write_session(session)
    assert written == expected(case, ".canonical", "" if session is None else data.decode("utf-8"))


def test_a_record_with_ten_mistakes_reports_ten() -> None:
    text = (GOLDEN / "ten-mistakes.md").read_text("utf-8")
    problems = read_session(text, "sessions/ten-mistakes.md").problems
    assert len(problems) == 10
    assert str(problems[0]).startswith("sessions/ten-mistakes.md:3: id is 'Ten Mistakes'")


def test_every_code_is_shown_by_a_golden_record_or_by_a_test_of_the_folder() -> None:
    listed = "".join(path.read_text("utf-8") for path in GOLDEN.glob("*.problems"))
    shown = {entry.split(": ")[1] for entry in listed.splitlines()}
    of_files = {"unreadable", "too-large", "not-utf8", "duplicate-id", "file-name", "round-trip"}
    of_characters = {"byte-order-mark", "carriage-return", "nul"}
    of_decisions = {"decision", "contradiction"}
    assert shown | of_files | of_characters | of_decisions == set(CODES)


def test_problems_become_json_objects_with_file_line_code_message_and_hint() -> None:
    reading = read_bytes((GOLDEN / "no-front-matter.md").read_bytes(), "sessions/a.md")
    assert problems_json(reading.problems) == [
        {
            "file": "sessions/a.md",
            "line": 1,
            "code": "front-matter",
            "message": "the file does not begin with front matter",
            "hint": "it stands at the top, between two lines of ---",
        }
    ]


@pytest.mark.parametrize("case", CASES)
def test_what_stands_below_the_front_matter_is_the_same_when_only_that_is_read(case: str) -> None:
    text = (GOLDEN / f"{case}.md").read_bytes().decode("utf-8", errors="replace")
    session, below = read_session(text, f"{case}.md").session, read_below(text)
    if session is not None:
        assert below is not None
        assert (below.introduction, below.attempts, below.closing) == (
            session.introduction,
            session.attempts,
            session.closing,
        )
