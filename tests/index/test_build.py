"""The index follows the records, whatever happens while it is built."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from bases import base, dump, record

from kb import workers
from kb.errors import StoreError
from kb.home import Home
from kb.index import build, changes, plan, press, schema
from kb.index.build import build_index
from kb.index.files import listing
from kb.index.store import open_store
from kb.knowledge.derive import derive
from kb.knowledge.gather import gather
from kb.record.folder import read_folder, session_files

BUILD = "import sys\nfrom pathlib import Path\nfrom kb.home import read_home\nfrom kb.index.build import build_index\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A knowledge base with two sessions."""
    made = base(tmp_path)
    record(made, "s1")
    record(made, "s2", "KeyError: 'the configuration'", day=2)
    return made


def names(home: Home) -> list[str]:
    """The sessions in the index."""
    return sorted(open_store(home).knowledge().sessions)


def test_every_session_is_indexed(home: Home) -> None:
    built = build_index(home)
    assert (built.sessions, built.changed, built.removed, built.problems) == (2, 2, 0, ())
    assert names(home) == ["s1", "s2"]


def test_an_unchanged_folder_is_not_read_again(home: Home) -> None:
    for path in home.sessions.iterdir():
        os.utime(path, (10**9, 10**9))  # the time of a file that is just written proves nothing
    build_index(home)
    before = home.index.stat()
    assert build_index(home).changed == 0
    assert home.index.stat().st_mtime_ns == before.st_mtime_ns


def test_after_a_long_build_only_the_records_that_it_read_are_looked_at_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(home)
    for path in home.sessions.iterdir():
        os.utime(path, (10**9, 10**9))
    monkeypatch.setattr(changes, "looks", None)
    build._prove(home, ["sessions/s1.md", "sessions/gone.md"])
    times = dict(sqlite3.connect(home.index).execute("SELECT path, mtime FROM file"))
    assert times == {"sessions/s1.md": 10**18, "sessions/s2.md": -1}


def test_only_what_changed_is_read(home: Home) -> None:
    build_index(home)
    record(home, "s2", "OSError: the disk is full", day=2)
    record(home, "s3", day=3)
    (home.sessions / "s1.md").unlink()
    built = build_index(home)
    assert (built.sessions, built.changed, built.removed) == (2, 2, 1)
    assert names(home) == ["s2", "s3"]


def test_records_that_were_written_just_before_a_long_build_are_not_read_on_each_look_after_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 1_000_000, 10))
    monkeypatch.setattr("kb.index.build.time.monotonic", lambda: next(clock))
    asked, now = iter((0, 0)), time.time_ns() + 3_000_000_000
    monkeypatch.setattr("kb.index.changes.time.time_ns", lambda: next(asked, now))
    build_index(home)
    monkeypatch.setattr("kb.index.store.read_hashed", lambda *_: pytest.fail("a record was read"))
    assert not open_store(home).stale()


def test_an_incremental_build_gives_what_a_whole_one_gives(home: Home) -> None:
    build_index(home)
    record(home, "s2", "OSError: the disk is full", day=2)
    build_index(home)
    first = dump(home)
    home.index.unlink()
    build_index(home)
    assert dump(home) == first


@pytest.mark.parametrize(("size", "processes"), [(1, 1), (2, 1), (1, 2), (1, 3), (2, 2)])
def test_a_build_in_many_units_and_processes_gives_what_one_in_a_single_unit_gives(
    home: Home, size: int, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(home, "s3", fix="another-fix", day=3)
    record(home, "s4", "KeyError: 'the configuration'", day=4)
    text = (home.sessions / "s3.md").read_text()
    (home.sessions / "a0.md").write_text(text)  # comes first, but s3.md is named after the session
    (home.sessions / "s5.md").write_text(text.replace("id: s3", "id: s4"))
    build_index(home)
    at_once = dump(home)
    monkeypatch.setattr(plan, "FIRST", size)
    monkeypatch.setattr(plan, "_SIZE", size)
    monkeypatch.setattr(workers, "_FEWEST", 1)
    monkeypatch.setattr(workers, "processes", lambda: processes)
    build_index(home, rebuild=True)
    assert dump(home) == at_once


def test_an_index_that_learned_what_its_texts_have_in_common_says_the_same(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        record(home, f"n{number}", f"ValueError: the {chr(97 + number % 26)} case is not known", day=1 + number % 28)
    build_index(home)
    before = dump(home)
    monkeypatch.setattr(press, "FEWEST", 20)
    monkeypatch.setattr(press, "_SIZES", {"facts": 4000, "cards": 1000})
    build_index(home, rebuild=True)
    assert {kind for (kind,) in sqlite3.connect(home.index).execute("SELECT kind FROM dictionary")} == {
        "facts",
        "cards",
    }
    assert dump(home) == before
    record(home, "n3", "ValueError: the d case is not known", fix="another-fix", day=4)
    record(home, "n30", "KeyError: 'the configuration'", day=4)
    build_index(home)
    in_place = dump(home)
    build_index(home, rebuild=True)
    assert dump(home) == in_place


def test_the_index_says_what_the_records_say(home: Home) -> None:
    build_index(home)
    facts = [
        derive(reading.session, path.relative_to(home.root).as_posix())
        for path, reading in read_folder(home)
        if reading.session
    ]
    assert open_store(home).knowledge() == gather(facts)


def test_the_same_files_are_records_as_for_the_reader(home: Home) -> None:
    for name in ("README.md", ".hidden.md", "notes.txt"):
        (home.sessions / name).write_text("x")
    (home.sessions / "folder.md").mkdir()
    (home.sessions / "s1").mkdir()
    (home.sessions / "s1" / "more.md").write_text("x")
    assert list(listing(home)) == [path.relative_to(home.root).as_posix() for path in session_files(home)]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_stray_file_does_not_keep_the_records_from_being_indexed(home: Home) -> None:
    (home.sessions / "loop.md").symlink_to("loop.md")
    (home.sessions / os.fsdecode(b"\xff.md")).write_text("x")
    assert build_index(home).sessions == 2
    with open_store(home) as store:
        assert not store.stale()
    assert build_index(home).changed == 0


def test_records_are_found_whatever_lies_beside_them(home: Home) -> None:
    (home.sessions / "s1.md").rename(home.sessions / "s\n1.md")
    (home.sessions / "gone.md").symlink_to("nowhere")
    (home.sessions / "folder.md").mkdir()
    (home.sessions / "notes.txt").write_text("x")
    for path in home.sessions.glob("s*.md"):
        os.utime(path, (10**9, 10**9))
    assert build_index(home).changed == 2
    assert not open_store(home).stale()
    assert build_index(home).changed == 0
    (home.sessions / "s\n1.md").unlink()
    assert open_store(home).stale()
    assert build_index(home).removed == 1
    assert names(home) == ["s2"]


def test_a_bad_record_is_a_problem_and_the_rest_is_indexed(home: Home) -> None:
    build_index(home)
    (home.sessions / "s1.md").write_text("no front matter\n")
    for built in (build_index(home), build_index(home)):
        assert built.sessions == 1
        assert [problem.location.path for problem in built.problems][:1] == ["sessions/s1.md"]
    assert names(home) == ["s2"]


def test_bytes_that_are_no_text_are_a_problem(home: Home) -> None:
    (home.sessions / "s3.md").write_bytes(b"\xff\xfe\x00")
    built = build_index(home)
    assert built.sessions == 2
    assert built.problems[0].location.path == "sessions/s3.md"


def test_a_record_that_cannot_be_read_is_a_problem(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(self: Path, mode: str = "r", *given: object) -> object:
        if self.name == "s1.md":
            raise PermissionError(13, "Permission denied")
        return opened(self, mode, *given)

    opened = Path.open
    monkeypatch.setattr(Path, "open", read)
    for _ in range(2):
        built = build_index(home)
        assert built.sessions == 1
        assert [str(problem) for problem in built.problems] == ["sessions/s1.md: cannot be read: Permission denied"]
    monkeypatch.undo()
    assert build_index(home).changed == 1
    assert names(home) == ["s1", "s2"]


def test_a_file_far_too_long_is_a_problem(home: Home) -> None:
    with (home.sessions / "s1.md").open("a") as stream:
        stream.write("x" * 3_000_000)
    built = build_index(home)
    assert built.sessions == 1
    assert [problem.code for problem in built.problems] == ["too-large"]
    assert build_index(home).changed == 0


def test_of_two_records_with_one_id_the_first_counts(home: Home) -> None:
    text = (home.sessions / "s2.md").read_text().replace("id: s2", "id: s1")
    (home.sessions / "s2.md").write_text(text)
    for _ in range(2):
        built = build_index(home)
        assert built.sessions == 1
        assert "duplicate-id" in {problem.code for problem in built.problems}
    record(home, "s1", day=9).rename(home.sessions / "s9.md")
    assert build_index(home).sessions == 1
    assert names(home) == ["s1"]
    (counted,) = open_store(home).db.execute("SELECT count(*) FROM seen").fetchone()
    assert counted == 1, "what only the later record says is not in the index"


def test_of_two_records_with_one_id_the_one_named_after_it_counts(home: Home) -> None:
    text = (home.sessions / "s1.md").read_text()
    (home.sessions / "a0.md").write_text(text)
    built = build_index(home)
    assert names(home) == ["s1", "s2"]
    (twin,) = [problem for problem in built.problems if problem.code == "duplicate-id"]
    assert twin.location.path == "sessions/a0.md"


def test_no_folder_of_sessions_gives_an_empty_index(tmp_path: Path) -> None:
    home = base(tmp_path)
    home.sessions.rmdir()
    assert build_index(home).sessions == 0
    assert open_store(home).knowledge().signatures == {}


def test_progress_is_told(home: Home) -> None:
    told: list[tuple[int, int, str]] = []
    build_index(home, progress=lambda *step: told.append(step))
    assert told == [(1, 2, "reading records"), (2, 2, "reading records"), (2, 2, "deriving from records")]


@pytest.mark.parametrize("broken", [b"", b"not a database", b"SQLite format 3\0" + bytes(4096)])
def test_a_broken_index_is_refused_and_built_anew(home: Home, broken: bytes) -> None:
    home.index.parent.mkdir(exist_ok=True)
    home.index.write_bytes(broken)
    with pytest.raises(StoreError, match="kb index"):
        open_store(home)
    assert build_index(home).changed == 2
    assert names(home) == ["s1", "s2"]


@pytest.mark.parametrize("key", ["schema", "algorithm"])
def test_an_index_of_another_version_is_refused_and_built_anew(home: Home, key: str) -> None:
    build_index(home)
    with sqlite3.connect(home.index) as db:
        db.execute("UPDATE meta SET value = '999' WHERE key IN (?, 'made_by')", (key,))
    with pytest.raises(StoreError, match="another version"):
        open_store(home)
    assert build_index(home).changed == 2
    open_store(home)


def test_an_index_of_another_release_is_refused_though_its_tables_are_the_same(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rules may sign otherwise, and what is known would be called new."""
    with monkeypatch.context() as patched:
        patched.setattr("kb.index.schema.__version__", "0.0.9")
        build_index(home)
    with pytest.raises(StoreError, match="another version"):
        open_store(home)
    assert build_index(home).changed == 2
    open_store(home)


def test_an_index_with_other_tables_under_the_same_number_is_refused_and_built_anew(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that was made by a state of kb between two releases."""
    with monkeypatch.context() as patched:
        patched.setattr("kb.index.schema.TABLES", f"{schema.TABLES}CREATE TABLE further (name TEXT);")
        patched.setattr("kb.index.build.TABLES", schema.TABLES)
        build_index(home)
    with pytest.raises(StoreError, match="another version"):
        open_store(home)
    assert build_index(home).changed == 2
    open_store(home)


def test_a_missing_index_says_what_to_do(home: Home) -> None:
    with pytest.raises(StoreError, match="run `kb index`"):
        open_store(home)


def test_an_open_store_keeps_its_state(home: Home) -> None:
    build_index(home)
    store = open_store(home)
    record(home, "s3", day=3)
    build_index(home)
    assert sorted(store.knowledge().sessions) == ["s1", "s2"]
    assert names(home) == ["s1", "s2", "s3"]


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_a_folder_that_cannot_be_written_is_a_clear_error(home: Home) -> None:
    build_index(home)
    record(home, "s3", day=3)
    folder = home.index.parent
    code = BUILD + "build_index(read_home(Path(sys.argv[1])))\n"
    # Root may write anywhere: a file in the place of the folder stops everybody.
    home.index.unlink()
    home.index.with_suffix(".lock").unlink()
    folder.rmdir()
    folder.write_text("")
    done = subprocess.run([sys.executable, "-c", code, str(home.root)], capture_output=True, text=True)
    assert "kb.errors.StoreError" in done.stderr
    assert "this is a file, but the index needs a folder (remove or rename that file" in done.stderr


def test_a_broken_lock_is_a_clear_error(home: Home) -> None:
    home.index.parent.mkdir(exist_ok=True)
    home.index.with_suffix(".lock").write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="delete this file") as raised:
        build_index(home)
    assert raised.value.exit_code == 74


def test_a_builder_that_waited_for_another_one_sees_the_records_of_now(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = build.build_lock

    @contextmanager
    def waiting(index: Path) -> Iterator[None]:
        # Meanwhile, another builder indexes what was written after this one had looked.
        monkeypatch.setattr(build, "build_lock", lock)
        record(home, "s3", day=3)
        (home.sessions / "s1.md").unlink()
        assert build_index(home).sessions == 2
        with lock(index):
            yield

    monkeypatch.setattr(build, "build_lock", waiting)
    assert build_index(home).sessions == 2
    assert names(home) == ["s2", "s3"]
    assert not open_store(home).stale()


def test_an_index_that_is_up_to_date_needs_no_writing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    build_index(home)

    def refuse(*_: object) -> None:
        raise AssertionError("the lock was taken")

    monkeypatch.setattr("kb.index.build.build_lock", refuse)
    assert build_index(home).sessions == 2


def test_an_index_that_is_up_to_date_does_not_load_the_reader_of_records(home: Home) -> None:
    build_index(home)
    code = BUILD + "build_index(read_home(Path(sys.argv[1])))\nprint('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, str(home.root)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_two_builds_at_once_both_end_well(tmp_path: Path) -> None:
    home = base(tmp_path)
    for number in range(30):
        record(home, f"s{number}", f"ValueError: case {chr(97 + number % 26)} is not known", day=1 + number % 28)
    code = BUILD + "print(build_index(read_home(Path(sys.argv[1]))).sessions)"
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(home.root)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in running] == ["30"] * 3
    assert len(open_store(home).knowledge().sessions) == 30
    assert sorted(path.name for path in home.index.parent.iterdir()) == ["index.lock", "index.sqlite"]


def test_a_build_that_is_killed_leaves_the_old_index_and_the_next_one_works(home: Home) -> None:
    build_index(home)
    record(home, "s3", day=3)
    code = (
        BUILD
        + "import kb.index.update as update, time\n"
        + "old = update.update\n"
        + "def slow(*given):\n    old(*given)\n    print('filled', flush=True)\n    time.sleep(60)\n"
        + "update.update = slow\n"
        + "build_index(read_home(Path(sys.argv[1])))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(home.root)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "filled"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert names(home) == ["s1", "s2"]
    assert build_index(home).changed == 1
    assert names(home) == ["s1", "s2", "s3"]
    assert sorted(path.name for path in home.index.parent.iterdir()) == ["index.lock", "index.sqlite"]
