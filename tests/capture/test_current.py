"""Which session one is in: by folder, and by terminal where two are open at once."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kb.capture import current
from kb.capture.current import Current, all_open, find_current, forget, join, need_current, remember
from kb.capture.writing import begin
from kb.errors import UsageError
from kb.home import Home


class Terminals:
    """The terminal that this process pretends to be in."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now: str | None = None
        monkeypatch.setattr(current, "terminal_key", lambda: self.now)

    def use(self, name: str | None) -> None:
        self.now = name


@pytest.fixture
def terminals(monkeypatch: pytest.MonkeyPatch) -> Terminals:
    monkeypatch.delenv("KB_SESSION", raising=False)
    return Terminals(monkeypatch)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "kb.toml").write_text("")
    for folder in ("a/deep", "b"):
        (tmp_path / folder).mkdir(parents=True)
    return Home(tmp_path)


def started(home: Home, title: str, folder: str) -> Current:
    return begin(home, title, directory=home.root / folder, now=datetime(2026, 3, 1, 12, tzinfo=UTC))


def at(home: Home, folder: str) -> str | None:
    found = find_current(home, home.root / folder)
    return found.id if found else None


def test_a_session_is_remembered_for_its_folder_and_those_below(home: Home, terminals: Terminals) -> None:
    one = started(home, "One", "a")
    assert one.id == "2026-03-01-one"
    assert (at(home, "a"), at(home, "a/deep"), at(home, "b")) == (one.id, one.id, None)


def test_it_outlives_the_terminal_and_a_reboot(home: Home, terminals: Terminals) -> None:
    terminals.use("before the crash")
    one = started(home, "One", "a")
    terminals.use("after it")
    assert at(home, "a") == one.id


def test_two_terminals_in_one_folder_do_not_mix(home: Home, terminals: Terminals) -> None:
    terminals.use("left")
    one = started(home, "One", "a")
    terminals.use("right")
    two = started(home, "Two", "a")
    assert at(home, "a") == two.id
    terminals.use("left")
    assert at(home, "a") == one.id
    assert at(home, "b") == one.id, "a terminal keeps its session when one changes the folder"
    terminals.use("a third")
    with pytest.raises(UsageError, match="several sessions are open here: 2026-03-01-one, 2026-03-01-two"):
        at(home, "a")
    terminals.use(None)
    with pytest.raises(UsageError, match="KB_SESSION"):
        at(home, "a")
    assert find_current(home, home.root / "a", named=one.id) == all_open(home)[0]


def test_one_terminal_has_a_session_for_each_folder(home: Home, terminals: Terminals) -> None:
    terminals.use("only")
    one = started(home, "One", "a")
    two = started(home, "Two", "b")
    assert (at(home, "a/deep"), at(home, "b")) == (one.id, two.id)


def test_a_session_of_its_own_goes_before_that_of_the_folder(home: Home, terminals: Terminals) -> None:
    terminals.use("left")
    started(home, "One", ".")
    terminals.use("right")
    two = started(home, "Two", "a")
    assert at(home, ".") == two.id


def test_a_terminal_that_joined_stays_when_another_session_is_begun_in_the_folder(
    home: Home, terminals: Terminals
) -> None:
    terminals.use("left")
    one = started(home, "One", "a")
    terminals.use("right")
    join(one)
    terminals.use("left")
    two = started(home, "Two", "a")
    assert at(home, "a") == two.id
    terminals.use("right")
    assert at(home, "a") == one.id


def test_a_session_can_be_named(home: Home, terminals: Terminals, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = started(home, "One", "a"), started(home, "Two", "a")
    monkeypatch.setenv("KB_SESSION", two.id)
    assert at(home, "b") == two.id
    assert need_current(home, named=one.id).id == one.id
    for name in ("nonsense", "../sessions/2026-03-01-one"):
        with pytest.raises(UsageError, match="there is no session"):
            find_current(home, named=name)


def test_a_finished_session_is_none(home: Home, terminals: Terminals) -> None:
    one = started(home, "One", "a")
    forget(home, one.id)
    join(one)
    with pytest.raises(UsageError, match="no session is open here"):
        need_current(home, home.root / "a")
    assert remember(home, one.id, home.root / "b").directory == home.root / "b"
    assert at(home, "b") == one.id


def test_what_is_broken_below_the_folder_of_the_index_is_passed_over(home: Home, terminals: Terminals) -> None:
    one = started(home, "One", "a")
    for name, text in (("x", "{"), ("y", "[]"), ("z", '{"id": "z", "directory": 3, "terminals": {}}')):
        (home.root / ".kb" / "current" / f"{name}.json").write_text(text)
    assert [current.id for current in all_open(home)] == [one.id]


def test_ids_of_the_same_name_are_numbered(home: Home, terminals: Terminals) -> None:
    names = [started(home, title, "a").id for title in ("Äpfel & Birnen!", "apfel birnen", "Apfel birnen", "???")]
    assert names == [
        "2026-03-01-apfel-birnen", "2026-03-01-apfel-birnen-2", "2026-03-01-apfel-birnen-3", "2026-03-01-session",
    ]  # fmt: skip


def test_a_terminal_is_known_whatever_is_redirected() -> None:
    code = "from kb.capture.terminal import terminal_key as k; import os; os.write(3, repr(k()).encode())"

    def key() -> str:
        outer, inner = pty.openpty()
        reading, writing = os.pipe()
        command = f"exec 3>&{writing}; exec {sys.executable} -c '{code}' </dev/null 2>&1 | cat >/dev/null"
        # A session of its own, with the new terminal as its own: the shell opens it as its first.
        shell = f"exec </dev/fd/{inner}; {command}"
        subprocess.run(["setsid", "-w", "-c", "bash", "-c", shell], stdin=inner, pass_fds=(inner, writing), check=True)
        os.close(writing)
        with os.fdopen(reading) as stream:
            found = stream.read()
        os.close(inner)
        os.close(outer)
        return found

    first, second = key(), key()
    assert first != second, "the same device, given out again, is another terminal"
    assert first.split()[:2] == second.split()[:2]
    assert "None" not in first


def test_without_a_terminal_there_is_none() -> None:
    code = "from kb.capture.terminal import terminal_key as k; print(k())"
    ran = subprocess.run(["setsid", "-w", sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True)
    assert ran.stdout == b"None\n"
