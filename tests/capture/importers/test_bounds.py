"""Sizes that a file is made of to hurt: archives, nesting, repetition; and what is kept of what is too large."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kb.capture.importers import actions, plain_log, source
from kb.capture.importers.cut_json import json_of
from kb.capture.importers.drafting import Drafted
from kb.capture.importers.reading import read_file, without_home
from kb.errors import InputError
from kb.record.writer import SIZE_LIMIT, write_session

LINE = "2026-03-02T10:00:00.0000000Z "


def drafted(path: Path) -> Drafted:
    return without_home(read_file(path).story, str, otherwise=datetime(2026, 3, 2, tzinfo=UTC))


def test_an_archive_is_unpacked_up_to_a_bound_and_the_rest_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "_LARGEST", 10_000)
    monkeypatch.setattr(actions, "_ALL", 25_000)
    with zipfile.ZipFile(tmp_path / "run.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            log = f"{LINE}##[group]Run make\n{LINE}##[endgroup]\n" + f"{LINE}all is well\n" * 1000
            archive.writestr(f"{number}_job{number}.txt", log)
    lost = drafted(tmp_path / "run.zip").lost
    assert any("the end of job0: it is too large" in text for text in lost)
    assert any("the archive is too large" in text for text in lost)


def test_what_is_nested_too_deep_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "issue.json"
    path.write_text('{"title": "x", "body": "y", "state": ' + "[" * 200_000)
    with pytest.raises(InputError):
        read_file(path)


def test_no_document_type_of_a_report_is_read(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text('<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuites><testsuite>&a;</testsuite></testsuites>')
    story = read_file(path, "junit").story
    assert any("a document type is not read" in text for text in story.lost)


def test_a_long_session_becomes_a_record_that_says_what_it_lacks(tmp_path: Path) -> None:
    header = json.dumps({"version": 2, "width": 80, "height": 24})
    events = []
    for number in range(700):
        output = "".join(f"line {n} of {number}\r\n" for n in range(60))
        events.append(json.dumps([number, "o", f"me@box:~$ make target{number % 7}\r\n{output}"]))
    path = tmp_path / "long.cast"
    path.write_text("\n".join([header, *events]))
    result = drafted(path)
    assert len(write_session(result.session).encode()) <= SIZE_LIMIT
    assert any("events" in text for text in result.lost)
    assert any("the record is full" in text for text in result.lost)


def test_of_a_log_that_is_too_large_the_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST", 20_000)
    monkeypatch.setattr(plain_log, "_BEGINNING", 1_000)
    monkeypatch.setattr(plain_log, "_END", 5_000)
    path = tmp_path / "server.log"
    path.write_text(
        "INFO all is well\n" * 3_000 + 'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 1\n'
    )
    result = drafted(path)
    assert result.session.title == "KeyError: 1"
    assert any("bytes in the middle of the log" in text for text in result.lost)


def test_prose_of_any_length_is_cut_at_words(tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    path.write_text("# Long\n\n" + "It went on, and nothing of what was tried did help.\n\n" * 8_000)
    text = write_session(drafted(path).session)
    assert len(text) <= SIZE_LIMIT
    assert "cut]" in text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, {"b": "c", "d": [2, 3', {"a": [1, {"b": "c", "d": [2]}]}),
        ('{"a": "one", "b": "two and mo', {"a": "one", "b": "two and mo"}),
        ('{"a": "one", "b": "x\\', {"a": "one", "b": "x"}),
        ('{"a": "one", "b": "x\\u00', {"a": "one"}),
        ('{"a": "one", "bo', {"a": "one"}),
        ('{"a": {"b": 1}, "c": tru', {"a": {"b": 1}}),
        ('[{"a": 1}, {"a": 2}] and more', [{"a": 1}, {"a": 2}]),
        ('[{"a": 1}, {"a": <html>}, {"a": 3}]', [{"a": 1}]),
        ("[" * 100_000, None),
        ('["a", "b\x01' + '\\"' * 200_000, ["a"]),
        ("no json", None),
        ('{"a', None),
    ],
)
def test_json_that_is_cut_gives_what_comes_before(text: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text(text)
    losses = source.Losses()
    assert json_of(source.open_source(path), losses, "file") == value
    assert len(losses.told()) == 1


def test_of_an_archive_that_is_cut_the_jobs_before_that_are_read(tmp_path: Path) -> None:
    whole = tmp_path / "logs.zip"
    failed = "2026-03-02T10:00:00.0000000Z ##[group]Run make\n2026-03-02T10:00:01.0000000Z cc: error: no input files\n"
    failed += "2026-03-02T10:00:02.0000000Z ##[error]Process completed with exit code 2.\n"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0_build.txt", failed)
        archive.writestr("1_test.txt", "".join(f"2026-03-02T10:00:00.0000000Z {n} {n * n}\n" for n in range(5000)))
    data = whole.read_bytes()
    for end in (len(data) - 30, len(data) // 2, len(data) // 10, 400):
        cut = tmp_path / "cut.zip"
        cut.write_bytes(data[:end])
        story = read_file(cut, "").story
        assert "make" in str(story.events[0:2]), end
        assert any("the list of the archive" in text for text in story.lost)
    assert any("the end of test" in text for text in story.lost)
