"""The record of a session is whole at any time, and no step of it is ever lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from record_strategies import steps

from kb.capture import writing
from kb.capture.current import Current
from kb.capture.entry import Entry, from_line, to_line
from kb.capture.journal import Journal
from kb.capture.lock import locked
from kb.capture.writing import append, begin, change, editing, held
from kb.errors import RecordError, WriteError
from kb.home import Home
from kb.record.folder import read_file
from kb.record.model import Attempt, Block, Console, Fix, Log, Note, Session, Step
from kb.record.writer import SIZE_LIMIT, write_session

#: Appends numbered notes to the session named, and tells of each that is safe.
WRITER = """
import sys
from pathlib import Path
from kb.capture.current import Current
from kb.capture.entry import Entry
from kb.capture.writing import append
from kb.home import Home
from kb.record.model import Note
root, name, word, most = sys.argv[1:]
current = Current(Home(Path(root)), name, Path(root))
for number in range(int(most)):
    append(current, Entry(steps=(Note(prose=f"{word} {number}"),)))
    print(f"{word} {number}", flush=True)
"""


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Current:
    """A session that was just begun."""
    monkeypatch.delenv("KB_SESSION", raising=False)
    (tmp_path / "kb.toml").write_text("")
    return begin(Home(tmp_path), "Something", directory=tmp_path, now=datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC))


def note(text: str) -> Entry:
    return Entry(steps=(Note(prose=text),))


def notes(current: Current) -> list[str]:
    """The notes in the record, which must be in order and in canonical form."""
    session = record(current)
    return [step.prose for attempt in session.attempts for step in attempt.steps if isinstance(step, Note)]


def record(current: Current) -> Session:
    session, problems = read_file(current.record, current.record.name)
    assert session is not None
    assert problems == ()
    assert write_session(session) == current.record.read_text("utf-8")
    return session


def start_writer(current: Current, word: str, most: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(current.home.root), current.id, word, str(most)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_new_record_is_one(session: Current) -> None:
    assert session.record.read_text() == (
        "---\nkb: 1\nid: 2026-03-01-something\ntitle: Something\nstarted: 2026-03-01T12:00:05Z\nresolution: open\n---\n"
    )
    assert sorted(path.name for path in session.home.sessions.iterdir()) == [session.record.name]


def test_steps_are_in_the_record_when_append_returns(session: Current) -> None:
    first = append(session, Entry(steps=(Console(body="$ a\n", exit=1),), components={"python": "3.12.1"}))
    second = append(session, Entry(steps=(Note(prose="Said."),), environment={"os": "Debian 13"}))
    assert (first.attempt, second.attempt, second.waits) == (1, 1, "")
    assert second.session == record(session)
    assert record(session).components == {"python": "3.12.1"}
    assert [step.step for step in record(session).attempts[0].steps] == ["console", "note"]


def test_an_entry_can_begin_an_attempt_or_go_to_an_earlier_one(session: Current) -> None:
    append(session, Entry(begin=True, title="One"))
    append(session, note("in one"))
    assert append(session, Entry(steps=(Note(prose="in two"),), begin=True, title="Two {x}", reruns=1)).attempt == 2
    assert append(session, Entry(steps=(Note(prose="late"),), to=1)).attempt == 1
    one, two = record(session).attempts
    assert (one.title, len(one.steps), two.title, two.reruns) == ("One", 2, "Two {x}", 1)


@settings(max_examples=60)
@given(steps)
def test_an_entry_survives_the_journal(step: Step) -> None:
    entry = Entry(steps=(step, step), title="é", begin=True, to=2, components={"a": "1"}, environment={"b": "2"})
    line = to_line(entry)
    assert "\n" not in line
    assert from_line(line) == entry
    with pytest.raises(ValueError):
        from_line(line[:-1])


def test_two_writers_at_once_lose_nothing(session: Current) -> None:
    writers = [start_writer(session, word, 15) for word in ("left", "right")]
    for writer in writers:
        writer.communicate()
    assert sorted(notes(session)) == sorted(f"{word} {number}" for word in ("left", "right") for number in range(15))


def test_a_writer_that_is_killed_leaves_a_whole_record_and_nothing_twice(session: Current) -> None:
    chance = random.Random(5)
    said: list[str] = []
    for number in range(5):
        writer = start_writer(session, f"run-{number}", 1000)
        assert writer.stdout is not None
        said.append(writer.stdout.readline().strip())
        time.sleep(chance.random() * 0.08)
        os.kill(writer.pid, signal.SIGKILL)
        said += [line.strip() for line in writer.stdout if line.endswith("\n")]
        writer.wait()
        found = notes(session)
        assert set(said) <= set(found)
        assert len(found) == len(set(found))
    append(session, note("after all"))
    assert notes(session)[-1] == "after all"


def test_what_a_person_wrote_stays(session: Current) -> None:
    append(session, note("first"))
    text = session.record.read_text()
    session.record.write_text(text.replace("title: Something", "title: By hand").replace("first", "first, *edited*"))
    append(session, note("second"))
    assert record(session).title == "By hand"
    assert notes(session) == ["first, *edited*", "second"]


def test_a_save_at_the_same_moment_stays(session: Current, monkeypatch: pytest.MonkeyPatch) -> None:
    write = writing.write_session
    saved = []

    def meanwhile(changed: Session) -> str:
        if not saved:
            saved.append(session.record.write_text(session.record.read_text().replace("Something", "Saved meanwhile")))
        return write(changed)

    monkeypatch.setattr(writing, "write_session", meanwhile)
    append(session, note("added"))
    assert (record(session).title, notes(session)) == ("Saved meanwhile", ["added"])


def test_a_record_with_a_problem_is_left_alone_until_it_is_mended(session: Current) -> None:
    append(session, note("first"))
    good = session.record.read_text()
    broken = good + "\n```log\nnever closed\n"
    session.record.write_text(broken)
    waits = append(session, note("second"))
    assert "opened here is never closed" in waits.waits
    assert "2026-03-01-something.md:13" in waits.waits
    assert session.record.read_text() == broken
    assert held(session).waiting == 1
    with pytest.raises(RecordError, match="never closed"):
        change(session, lambda draft: draft.begin("x") and None)
    session.record.write_text(good)
    assert [step.step for step in _held(session).attempts[0].steps] == ["note", "note"]
    append(session, note("third"))
    assert notes(session) == ["first", "second", "third"]
    assert held(session).waiting == 0


def test_a_record_that_is_gone_or_open_waits_too(session: Current) -> None:
    with locked(editing(session)):
        assert append(session, note("while editing")).waits == "the record is open in `kb edit`"
        with pytest.raises(WriteError, match="open in `kb edit`"):
            change(session, lambda draft: None)
    text = session.record.read_text()
    session.record.unlink()
    assert append(session, note("while gone")).waits == "sessions/2026-03-01-something.md is gone"
    assert held(session).session is None
    session.record.write_text(text)
    change(session, lambda draft: draft.finish("abandoned", datetime(2026, 3, 2, tzinfo=UTC)))
    assert notes(session) == ["while editing", "while gone"]
    assert record(session).resolution == "abandoned"


def _held(current: Current) -> Session:
    session = held(current).session
    assert session is not None
    return session


def test_what_waits_is_never_taken_twice(session: Current, monkeypatch: pytest.MonkeyPatch) -> None:
    with locked(editing(session)):
        append(session, note("one"))
    monkeypatch.setattr(Journal, "clear", lambda self: None)  # as if killed after the record was written
    append(session, note("two"))
    assert notes(session) == ["one", "two"]
    monkeypatch.undo()
    append(session, note("three"))
    assert notes(session) == ["one", "two", "three"]


def test_a_line_of_the_journal_that_was_cut_off_costs_only_itself(session: Current) -> None:
    with locked(editing(session)):
        append(session, note("one"))
        journal = Journal(session.home, session.id)
        with journal.path.open("a") as stream:
            stream.write(to_line(note("cut"))[:-20])
        append(session, note("two"))
    append(session, note("three"))
    assert notes(session) == ["one", "two", "three"]


@pytest.mark.parametrize("many", [True, False], ids=["many lines", "one line"])
def test_what_is_too_large_is_shortened_in_its_middle(session: Current, many: bool) -> None:
    body = (
        "$ make\n" + ("".join(f"line {n}\n" for n in range(60_000)) if many else "x" * SIZE_LIMIT * 2) + "\nthe end\n"
    )
    for _ in range(12):
        done = append(session, Entry(steps=(Console(body=body, exit=1),)))
        assert not done.waits
    consoles = [step for attempt in record(session).attempts for step in attempt.steps if isinstance(step, Console)]
    assert len(consoles) == 12
    for console in consoles:
        assert console.body.startswith("$ make\n")
        assert console.body.endswith("the end\n")
        assert "left out ...]" in console.body


def test_a_patch_is_whole_or_left_out(session: Current) -> None:
    patch = Block(language="diff", body="+x\n" * SIZE_LIMIT)
    done = append(session, Entry(steps=(Log(body="a\n"), Fix(slug="big", kind="patch", blocks=(patch,)))))
    assert not done.waits
    fix = record(session).attempts[0].steps[-1]
    assert isinstance(fix, Fix)
    assert (fix.blocks, fix.prose) == ((), "The patch is too large for the record and was left out.")


def test_a_full_record_keeps_what_comes_in_the_journal(session: Current) -> None:
    full = Attempt(title="full", steps=(Note(prose="x " * (SIZE_LIMIT // 2 - 300)),))
    change(session, lambda draft: draft.begin(full.title) and draft.add(*full.steps) and None)
    assert "at most 256 KiB" in append(session, note("more " * 200)).waits
    assert held(session).waiting == 1


def test_a_folder_that_cannot_be_written_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("a file")
    with pytest.raises(WriteError, match=r"sessions.*cannot be made"):
        begin(Home(tmp_path), "x")
