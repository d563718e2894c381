"""Whatever bytes a file holds: a draft that can be written as a record, or an error that says why not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kb.capture.importers.reading import read_file, without_home
from kb.capture.importers.registry import FORMATS
from kb.errors import InputError
from kb.record.writer import write_session

SAMPLES = sorted(
    p for p in (Path(__file__).parent / "samples").iterdir() if not p.name.endswith((".timing", "README.md"))
)
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


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
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


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
@given(data=st.data())
def test_a_sample_that_is_cut_anywhere(folder: Path, sample: Path, data: st.DataObject) -> None:
    whole = sample.read_bytes()
    path = folder / f"cut-{sample.name}"
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    survives(path)


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
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


JSON = [path for path in SAMPLES if path.suffix in (".jsonl", ".json", ".ipynb", ".cast", ".traj")]


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("sample", JSON, ids=lambda path: path.name)
@given(data=st.data())
def test_a_value_of_another_type_than_expected(folder: Path, sample: Path, data: st.DataObject) -> None:
    text = sample.read_text("utf-8")
    by_line = sample.suffix in (".jsonl", ".cast")
    parts = [json.loads(line) for line in text.splitlines() if line[:1] in "{["] if by_line else [json.loads(text)]
    inner: Any = parts
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = data.draw(st.sampled_from(keys))
        if (
            not isinstance(inner[key], dict | list)
            or not inner[key]
            or (inner is not parts and data.draw(st.booleans()))
        ):
            break
        inner = inner[key]
    inner[key] = data.draw(st.sampled_from([None, True, 7, -1, 1e300, [1], {"a": [{}]}, "text", "", [None], [[]], {}]))
    path = folder / f"typed-{sample.name}"
    path.write_text("\n".join(json.dumps(part) for part in parts), "utf-8")
    survives(path, _format_of(sample))


def _format_of(sample: Path) -> str:
    return read_file(sample).format.name
