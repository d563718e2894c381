"""What becomes of a sample of each format: the record, what is open, what was lost (drafts/, readable).

The samples were made by the real tools where these can be had; README.md in samples/ says which were not.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kb.capture.importers.drafting import Drafted
from kb.capture.importers.reading import read_file, together, without_home
from kb.capture.importers.registry import FORMATS
from kb.capture.redaction.policy import Policy
from kb.capture.redaction.redactor import Redactor
from kb.record.reader import read_session
from kb.record.writer import write_session

HERE = Path(__file__).parent
NOT_SAMPLES = (".timing", "README.md")
SAMPLES = sorted(p.name for p in (HERE / "samples").iterdir() if not p.name.endswith(NOT_SAMPLES))
OTHERWISE = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def imported(*names: str, format_: str = "") -> tuple[str, Drafted]:
    """The formats of the samples, and the draft that they make."""
    reads = [read_file(HERE / "samples" / name, format_) for name in names]
    redactor = Redactor(Policy.SECRETS)
    drafted = without_home(together(reads), redactor.text, otherwise=OTHERWISE)
    return ", ".join(dict.fromkeys(read.format.name for read in reads)), drafted


def shown(format_: str, drafted: Drafted) -> str:
    lines = [f"format: {format_}", *(f"open: {one.message}" for one in drafted.open)]
    return "\n".join([*lines, *(f"lost: {text}" for text in drafted.lost), "", write_session(drafted.session)])


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_becomes_the_draft_that_is_written_down(name: str) -> None:
    text = shown(*imported(name))
    path = HERE / "drafts" / f"{name}.md"
    if os.environ.get("KB_BLESS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


@pytest.mark.parametrize("name", SAMPLES)
def test_the_record_of_a_sample_is_well_formed(name: str) -> None:
    _, drafted = imported(name)
    reading = read_session(write_session(drafted.session), f"{drafted.session.id}.md")
    assert not reading.problems
    assert reading.session == drafted.session


def test_each_format_has_a_sample() -> None:
    told = {imported(name)[0] for name in SAMPLES}
    assert told == {one.name for one in FORMATS}


def test_no_draft_is_of_a_sample_that_is_gone() -> None:
    assert sorted(p.name for p in (HERE / "drafts").iterdir()) == [f"{name}.md" for name in SAMPLES]


def test_reports_of_two_runs_are_two_attempts_the_second_of_which_went_well() -> None:
    for kind in ("pytest-junit-{}.xml", "pytest-report-{}.jsonl"):
        _, drafted = imported(kind.format("before"), kind.format("after"))
        assert len(drafted.session.attempts) == 2
        assert any("ended well" in one.message for one in drafted.open if one.code == "resolution")
