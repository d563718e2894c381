"""The folder of records: which files are records, and what only shows when the files are looked at as files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb.home import Home
from kb.record.folder import read_bytes, read_file, read_folder, read_own_below, session_files
from kb.record.writer import SIZE_LIMIT

RECORD = "---\nkb: 1\nid: {id}\ntitle: a\nstarted: 2026-01-01T00:00:00Z\n---\n\nWords.\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "sessions").mkdir()
    return Home(root=tmp_path)


def put(home: Home, name: str, record: str) -> Path:
    path = home.sessions / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(record, "utf-8")
    return path


def problems(home: Home) -> list[str]:
    return [str(problem) for _, reading in read_folder(home) for problem in reading.problems]


def test_records_are_the_markdown_files_that_lie_in_the_folder_itself(home: Home) -> None:
    for name in ("b.md", "a.md", "README.md", ".hidden.md", "a.txt", "a/server.md"):
        put(home, name, RECORD.format(id="a"))
    assert [path.name for path in session_files(home)] == ["a.md", "b.md"]


def test_a_knowledge_base_without_a_folder_of_sessions_has_no_records(tmp_path: Path) -> None:
    assert session_files(Home(root=tmp_path)) == []


def test_each_file_is_read_and_named_as_seen_from_the_home_folder(home: Home) -> None:
    put(home, "a.md", RECORD.format(id="a"))
    put(home, "b.md", RECORD.format(id="b").replace("title: a", "titel: a"))
    readings = {path.name: reading for path, reading in read_folder(home)}
    assert readings["a.md"].session is not None
    assert readings["a.md"].problems == ()
    assert [str(problem) for problem in readings["b.md"].problems] == [
        "sessions/b.md:1: the key title is missing",
        "sessions/b.md:4: unknown key 'titel' (did you mean title? known: kb, id, title, started, ended, resolution, "
        "components, environment, tags)",
    ]


def test_an_id_that_two_files_have_is_a_problem_of_the_later_one(home: Home) -> None:
    put(home, "a.md", RECORD.format(id="a"))
    put(home, "b.md", RECORD.format(id="a"))
    assert problems(home) == [
        "sessions/b.md:3: the id a is also that of sessions/a.md (each record has an id of its own)",
        "sessions/b.md:3: the id is a, the file is named b (name the file a.md)",
    ]


def test_bytes_that_are_not_utf8_are_named_with_their_line_and_the_rest_is_read() -> None:
    reading = read_bytes(RECORD.format(id="a").encode() + b"caf\xe9\n", "a.md")
    assert [str(problem) for problem in reading.problems] == [
        "a.md:9: not UTF-8: the byte 0xe9, and maybe more (save the file as UTF-8)"
    ]
    assert reading.session is not None
    assert reading.session.introduction == "Words.\ncaf\ufffd"


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (RECORD.replace("\n", "\r\n"), "carriage-return", 1),
        (RECORD + "50%\r100%\n", "carriage-return", 9),
        (RECORD + "a\0b\n", "nul", 9),
        ("\ufeff" + RECORD, "byte-order-mark", 1),
    ],
)
def test_characters_that_a_record_may_not_hold_are_named_once_and_the_rest_is_read(
    content: str, code: str, line: int
) -> None:
    reading = read_bytes(content.format(id="a").encode(), "a.md")
    assert [(problem.code, problem.location.line) for problem in reading.problems] == [(code, line)]
    assert reading.session is not None
    assert reading.session.title == "a"


def test_a_file_larger_than_a_record_is_not_read(home: Home) -> None:
    path = put(home, "a.md", RECORD.format(id="a") + "x" * SIZE_LIMIT)
    reading = read_file(path, "a.md")
    assert reading.session is None
    assert [problem.code for problem in reading.problems] == ["too-large"]
    path.write_text((RECORD.format(id="a") + "x" * SIZE_LIMIT)[:SIZE_LIMIT], "utf-8")
    assert read_file(path, "a.md").problems == ()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_a_problem_and_no_error(home: Home) -> None:
    put(home, "a.md", RECORD.format(id="a")).chmod(0)
    assert problems(home) == ["sessions/a.md: cannot be read: Permission denied"]


def test_a_file_that_is_gone_is_a_problem_and_no_error(tmp_path: Path) -> None:
    reading = read_file(tmp_path / "gone.md", "gone.md")
    assert [str(problem) for problem in reading.problems] == ["gone.md: cannot be read: No such file or directory"]


def test_below_the_front_matter_nothing_is_read_of_what_is_no_record_or_lies_elsewhere(
    home: Home, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "b.md"
    elsewhere.write_text(RECORD.format(id="b"), "utf-8")
    (home.sessions / "b.md").symlink_to(elsewhere)
    below = read_own_below(home, put(home, "a.md", RECORD.format(id="a")))
    assert below is not None
    assert below.introduction == "Words."
    assert read_own_below(home, home.sessions / "b.md") is None
    assert read_own_below(home, home.sessions / "c.md") is None
    assert read_own_below(home, put(home, "d.md", "Words.\n")) is None
    assert read_own_below(home, put(home, "e.md", RECORD.format(id="e") + "w" * SIZE_LIMIT)) is None
