"""Databases of Hyperscan are kept, and a cache that cannot be used costs nothing but time."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.failures import databases
from kb.failures.find import find_failures

WORDS = [(0, b"panic"), (1, b"fatal.")]


def found(text: bytes) -> set[int]:
    numbers: set[int] = set()

    def matched(number: int, *_: object) -> None:
        numbers.add(number)

    databases.database("words", WORDS, literal=True).scan(text, match_event_handler=matched)
    return numbers


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "kb"


def test_a_database_is_made_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(b"a panic that is fatal") == {0}
    (kept,) = cache.iterdir()
    monkeypatch.setattr(databases, "write_bytes", None)  # making it again would fail
    assert found(b"fatal.") == {1}
    assert list(cache.iterdir()) == [kept]


def test_other_expressions_are_another_file(cache: Path) -> None:
    found(b"")
    databases.database("words", WORDS[:1], literal=True)
    databases.database("words", WORDS, literal=False)
    assert len(list(cache.iterdir())) == 3


@pytest.mark.parametrize("content", [b"", b"no database at all", b"\0" * 5000])
def test_a_broken_file_is_made_anew(content: bytes, cache: Path) -> None:
    found(b"")
    (kept,) = cache.iterdir()
    kept.write_bytes(content)
    assert found(b"panic") == {0}
    assert kept.read_bytes() != content


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kb").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert found(b"panic") == {0}


def test_a_connection_that_a_server_ended_as_it_stopped_began_nothing() -> None:
    found = find_failures(
        "2026-11-30 12:06:25 0 [Note] mariadbd (initiated by: root[root] @ localhost []): Normal shutdown\n"
        "2026-11-30 12:06:25 65 [ERROR] mariadbd: Connection was killed\n"
    )
    assert [failure.role for failure in found.failures] == ["teardown"]
