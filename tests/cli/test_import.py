"""Importing as somebody types it: what is printed, what is written, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.record.folder import read_file

from .conftest import Kb

LOG = """\
reading config.json with --token ghp_{}
Traceback (most recent call last):
  File "/srv/app.py", line 4, in port
    return config["port"]
KeyError: 'port'
""".format("0123456789abcdefghijABCDEFGHIJ012345")


@pytest.fixture
def log(base: Path) -> Path:
    path = base / "server.log"
    path.write_text(LOG)
    return path


def test_an_import_is_a_well_formed_record_and_says_what_is_open(kb: Kb, log: Path) -> None:
    ran = kb("import", log)
    assert ran.status == 0
    assert "read as any other text" in ran.err
    assert "Still open:" in ran.out
    record = next(path for path in (log.parent / "sessions").iterdir() if "keyerror" in path.name)
    assert record.stem in ran.out
    session, problems = read_file(record, record.name)
    assert session is not None
    assert not problems
    assert session.resolution == "open"
    assert kb("check").status == 0


def test_no_secret_is_stored(kb: Kb, log: Path) -> None:
    kb("import", log)
    stored = "".join(path.read_text() for path in (log.parent / "sessions").glob("*keyerror*"))
    assert "KeyError: 'port'" in stored
    assert "0123456789abcdefghij" not in stored


def test_the_same_file_twice_is_two_records(kb: Kb, log: Path) -> None:
    kb("import", log)
    kb("import", log)
    assert len(list((log.parent / "sessions").glob("*keyerror-port*"))) == 2


def test_the_record_is_printed_and_nothing_stored(
    kb: Kb, log: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    ran = kb("import", "--output", "-", "--title", "No port", log)
    assert ran.status == 0
    assert "title: No port\n" in ran.out
    assert "open: how it ended" in ran.err
    assert kb("import", "--output", "record.md", log).status == 0
    assert Path("record.md").read_text().startswith("---\nkb: 1\n")


def test_what_cannot_be_imported_is_an_error_and_writes_nothing(kb: Kb, log: Path) -> None:
    before = sorted((log.parent / "sessions").iterdir())
    (log.parent / "binary").write_bytes(b"\x7fELF\0\0\1")
    (log.parent / "empty").write_bytes(b"\n")
    for name, status in (("binary", 66), ("empty", 66), ("missing", 66)):
        ran = kb("import", log.name, name)
        assert ran.status == status
        assert name in ran.err
    assert kb("import").status == 64
    assert "one of asciicast" in kb("import", "--format", "nonsense", log).err
    assert sorted((log.parent / "sessions").iterdir()) == before


def test_an_imported_session_can_be_gone_on_with(kb: Kb, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.capture.current.terminal_key", lambda: None)
    id_ = kb("import", "--title", "No port", log).out.split(":")[0].removeprefix("session ")
    assert kb("resume", id_).status == 0
    assert kb("note", "The file had none.").status == 0
    assert kb("fix", "default-port", "--config", "port: 8000", "A default is taken.").status == 0
    ran = kb("finish", "--resolution", "fixed", "The configuration had no port.")
    assert ran.status == 0, ran.err


def test_the_list_names_every_format(kb: Kb) -> None:
    from kb.capture.importers.registry import FORMATS

    printed = kb("import", "--list").out
    assert all(one.name in printed for one in FORMATS)
