"""Whatever happens while the index is written, it shows the old state or the new one, and the next build works."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from bases import base, dump, record

from kb.errors import StoreError
from kb.home import Home
from kb.index import build, schema
from kb.index.build import build_index
from kb.index.opening import journal
from kb.index.store import open_store

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

_NOBODY = 65534
_SAID = 7


@pytest.fixture
def home() -> Iterator[Home]:
    """A knowledge base with four sessions, in a folder that every user may enter, and its index."""
    folder = Path(tempfile.mkdtemp(prefix="kb-safety-"))
    folder.chmod(0o755)
    made = base(folder)
    for number in range(4):
        write(made, number, "first")
    build_index(made)
    yield made
    made.index.parent.chmod(0o755)
    shutil.rmtree(folder)


def write(home: Home, number: int, word: str) -> None:
    """Session `number`, whose failure and text name `word`; its file is replaced, as editors and git do it."""
    drafts = base(home.root / f"drafts-{os.getpid()}")
    error = f"ValueError: the {word} case is not known"
    made = record(drafts, f"s{number}", error, day=1 + number % 28, fix=f"know-{word}", prose=word)
    made.replace(home.sessions / made.name)


def in_child(act: Callable[[], None]) -> int:
    """Start a process that does this and then exits, with _SAID when kb said clearly what is wrong."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        act()
        status = 0
    except StoreError as error:
        status = _SAID if str(error) and error.hint else 1
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        os._exit(status)


def status_of(child: int) -> int:
    """How the process ended; negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def sound(home: Home) -> set[str]:
    """The sessions in the index, after checking that its tables agree with each other."""
    with closing(open_store(home).db) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        sessions = {name for (name,) in db.execute("SELECT session FROM file WHERE counts")}
        assert {name for (name,) in db.execute("SELECT name FROM doc WHERE kind = 2")} == sessions
        ids = {number for (number,) in db.execute("SELECT number FROM signature")}
        assert {number for (number,) in db.execute("SELECT DISTINCT signature FROM seen")} == ids
        files = {number for (number,) in db.execute("SELECT number FROM file WHERE counts")}
        assert {number for (number,) in db.execute("SELECT DISTINCT file FROM seen")} == files
        return sessions


def test_a_builder_may_be_killed_at_any_moment(home: Home) -> None:
    """The moments are random: in place, in a copy, in whole builds, while waiting and between builds."""
    random_ = random.Random()
    words = ("alpha", "beta", "gamma", "delta", "epsilon")

    def build_on() -> None:
        while True:
            for _ in range(random_.choice((1, 1, 6))):
                write(home, random_.randrange(6), random_.choice(words))
            (home.sessions / f"s{random_.randrange(4, 6)}.md").unlink(missing_ok=True)
            build_index(home, rebuild=random_.random() < 0.2)

    for moment in range(60):
        random_.seed(moment)
        child = in_child(build_on)
        time.sleep(random.uniform(0.0, 0.08))
        os.kill(child, signal.SIGKILL)
        assert status_of(child) == -signal.SIGKILL
        assert sound(home) >= {"s0", "s1", "s2", "s3"}
    build_index(home)
    incremental = dump(home)
    build_index(home, rebuild=True)
    assert incremental == dump(home)
    assert sorted(path.name for path in home.index.parent.iterdir()) == ["index.lock", "index.sqlite"]


def test_a_full_disk_leaves_the_old_index(home: Home) -> None:
    before = dump(home)
    size = home.index.stat().st_size
    for rebuild in (False, True):
        for limit in (0, 512, 8192, size // 2, size - 1):

            def fill(limit: int = limit, rebuild: bool = rebuild) -> None:
                for number in range(40):
                    write(home, number, f"disk{'x' * 400}{number}")
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                build_index(home, rebuild=rebuild)

            assert status_of(in_child(fill)) == _SAID, (rebuild, limit)
            assert sound(home) == {"s0", "s1", "s2", "s3"}
            assert dump(home) == before
            assert not list(home.index.parent.glob("*.tmp*"))
    build_index(home)
    assert len(sound(home)) == 40


def leave_half_a_change(home: Home) -> None:
    """What a builder leaves that is killed while it writes its change into the file."""

    def write_and_die() -> None:
        db = sqlite3.connect(home.index, isolation_level=None)
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN EXCLUSIVE")
        for _ in range(50):
            db.execute("UPDATE facts SET facts = randomblob(9000)")
            db.execute("UPDATE facts SET facts = randomblob(9000)")
        os.kill(os.getpid(), signal.SIGKILL)

    assert status_of(in_child(write_and_die)) == -signal.SIGKILL
    assert journal(home.index).stat().st_size > 0


def test_half_a_change_is_undone_by_the_next_reader(home: Home) -> None:
    before = dump(home)
    leave_half_a_change(home)
    assert sound(home) == {"s0", "s1", "s2", "s3"}
    assert dump(home) == before


def test_half_a_change_is_undone_by_the_next_builder(home: Home) -> None:
    leave_half_a_change(home)
    write(home, 9, "after")
    assert build_index(home).changed == 1
    assert sound(home) == {"s0", "s1", "s2", "s3", "s9"}
    leave_half_a_change(home)
    home.index.write_bytes(b"no index at all")
    assert build_index(home).sessions == 5
    assert sound(home) == {"s0", "s1", "s2", "s3", "s9"}, "the journal of the old file is not applied to the new one"


def test_a_journal_without_its_index_is_no_trap(home: Home) -> None:
    leave_half_a_change(home)
    home.index.unlink()
    for number in range(4, 30):
        write(home, number, f"later{number}")
    build_index(home)
    assert len(sound(home)) == 30
    before = dump(home)
    build_index(home, rebuild=True)
    assert dump(home) == before


def read_only(home: Home, act: Callable[[], object]) -> int:
    """Do this as a user who may read the folder of the index, but not write to it; how it ended."""
    home.index.parent.chmod(0o555)
    home.index.chmod(0o444)

    made = schema.made_by()

    def as_nobody() -> None:
        # The code of kb may lie where that user may not read it.
        build.made_by = lambda *_: made
        if os.getuid() == 0:
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
        act()

    return status_of(in_child(as_nobody))


def test_an_index_in_a_folder_that_cannot_be_written_is_read(home: Home) -> None:
    def read() -> None:
        with open_store(home) as store:
            assert store.count() == 1
            assert store.lookup_pattern("ValueError: the first case is not known")
        assert build_index(home).changed == 0

    assert read_only(home, read) == 0


def test_an_index_in_a_folder_that_cannot_be_written_is_not_changed(home: Home) -> None:
    write(home, 7, "new")
    assert read_only(home, lambda: str(build_index(home))) == _SAID
    assert sound(home) == {"s0", "s1", "s2", "s3"}


def test_half_a_change_in_a_folder_that_cannot_be_written_is_refused(home: Home) -> None:
    leave_half_a_change(home)
    journal(home.index).chmod(0o444)
    assert read_only(home, lambda: open_store(home).close()) == _SAID


def test_builders_and_readers_at_once_see_whole_states(home: Home) -> None:
    def add(first: int) -> None:
        for number in range(first, first + 8):
            write(home, number, f"word{number}")
            build_index(home)

    def read() -> None:
        for _ in range(60):
            assert sound(home) >= {"s0", "s1", "s2", "s3"}

    children = [in_child(lambda first=first: add(first)) for first in (10, 20, 30)]  # type: ignore[misc]
    children += [in_child(read) for _ in range(2)]
    assert [status_of(child) for child in children] == [0] * 5
    build_index(home)
    assert len(sound(home)) == 4 + 24


@pytest.mark.parametrize("schema", ["1", "9999"])
def test_an_index_of_an_older_or_newer_kb_is_refused_and_then_replaced(home: Home, schema: str) -> None:
    home.index.unlink()
    with closing(sqlite3.connect(home.index)) as db:
        db.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        db.execute("INSERT INTO meta VALUES ('schema', ?)", (schema,))
        db.commit()
    with pytest.raises(StoreError, match="another version"):
        open_store(home)
    assert build_index(home).changed == 4
    assert sound(home) == {"s0", "s1", "s2", "s3"}


def test_an_index_that_turns_out_to_be_damaged_is_built_anew(home: Home) -> None:
    data = bytearray(home.index.read_bytes())
    page = int.from_bytes(data[16:18], "big")
    for at in range(6 * page, len(data), page):
        data[at : at + 200] = b"\xff" * 200
    home.index.write_bytes(data)
    write(home, 1, "other")
    build_index(home)
    assert sound(home) == {"s0", "s1", "s2", "s3"}


if sys.platform == "darwin":
    pytestmark = pytest.mark.skip(reason="forks of a process that has loaded system libraries are not safe here")
