"""Whatever bytes a file holds: a draft that can be written as a record, or an error that says why not."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kb.capture.importers.reading import read_file, without_home
from kb.capture.importers.registry import FORMATS
from kb.errors import InputError
from kb.record.writer import write_session

SAMPLES = sorted(p for p in (Path(__file__).parent / "samples").iterdir() if p.suffix not in (".timing", ".md"))
NAMES = [one.name for one in FORMATS]
WHEN = datetime(2026, 3, 2, tzinfo=UTC)


def survives(path: Path, format_: str = "") -> bool:
    """Whether the file made a record; the alternative is an InputError, nothing else."""
    try:
        story = read_file(path, format_).story
    except InputError:
        return False
    write_session(without_home(story, str, otherwise=WHEN).session)
    return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("format_", ["", *NAMES])
@given(data=st.binary(max_size=400))
@example(data=b"{" * 100_000)
@example(data=b"[" * 100_000 + b"]" * 100_000)
@example(data=b'{"version": 2, "width": 1}\n[1e999, "o", "x"]\n[0, "x", "99999999999999999999"]\n')
@example(data=b"Script started on ")
@example(data=b"PK\x03\x04 no archive")
@example(data=b"SQLite format 3\0 no database")
def test_arbitrary_bytes(folder: Path, format_: str, data: bytes) -> None:
    path = folder / "file.txt"
    path.write_bytes(data)
    survives(path, format_)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
@given(data=st.data())
def test_a_sample_that_is_cut_anywhere(folder: Path, sample: Path, data: st.DataObject) -> None:
    whole = sample.read_bytes()
    path = folder / f"cut-{sample.name}"
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    survives(path)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
@given(data=st.data())
def test_a_sample_with_bytes_that_were_changed(folder: Path, sample: Path, data: st.DataObject) -> None:
    whole = bytearray(sample.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=30))
    path = folder / f"changed-{sample.name}"
    path.write_bytes(bytes(whole))
    survives(path)


@pytest.mark.parametrize("format_", NAMES)
def test_values_of_other_types_than_expected(folder: Path, format_: str) -> None:
    """Every JSON value of the samples replaced by one of another type, one at a time."""
    for sample in SAMPLES:
        if sample.suffix not in (".jsonl", ".json", ".ipynb", ".cast", ".traj"):
            continue
        lines = sample.read_text("utf-8").splitlines()[:6]
        for number, line in enumerate(lines):
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if not isinstance(value, dict):
                continue
            for key in value:
                for other in (None, 7, [1], {"a": 1}, "text"):
                    changed = [*lines[:number], json.dumps({**value, key: other}), *lines[number + 1 :]]
                    path = folder / sample.name
                    path.write_text("\n".join(changed), "utf-8")
                    with suppress(InputError):
                        read_file(path, format_)
