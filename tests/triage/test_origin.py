"""A message that any program can print is no match where another program printed it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kb.home import Home
from kb.index.build import build_index
from kb.index.store import Store, open_store
from kb.triage.model import Match
from kb.triage.origin import anyone, anyones, platforms, programs, says_more
from kb.triage.report import triage

sys.path.append(str(Path(__file__).parent.parent / "index"))
from bases import base, record

IN_USE = "OSError: [Errno 98] Address already in use"
OWN = "ValueError: the board has no column of this name"
REFUSED = "ConnectionError: connect ECONNREFUSED 127.0.0.1:6379"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Sessions about vllm: errors that any program can print, and one of its own."""
    made = base(tmp_path_factory.mktemp("base"))
    record(made, "s1", IN_USE, fix="stop-the-old-server", function="bind_server")
    record(made, "s2", OWN, day=2, fix="name-the-column")
    record(made, "s3", REFUSED, day=3, fix="start-redis")
    build_index(made)
    return open_store(made)


def match(store: Store, error: str, *, place: str = "shop.py", function: str = "go", head: str = "INFO up") -> Match:
    """What is said of a log with this error."""
    frames = f'Traceback (most recent call last):\n  File "/home/me/{place}", line 9, in {function}\n    go()\n'
    report = triage(f"{head}\n{frames}{error}\n".encode(), "x.log", store)
    assert report.primary is not None
    found = report.failures[report.primary].matches[0]
    assert report.verdict == ("new" if found.level == "similar" else "known")
    return found


def bare(home: Home, printed: str) -> None:
    """A session that says nothing of the program: what it printed, and a fix."""
    (home.sessions / "s1.md").write_text(
        "---\nkb: 1\nid: s1\ntitle: It does not start\nstarted: 2026-01-01T10:00:00Z\nresolution: fixed\n---\n\n"
        f"It failed.\n\n## Attempt 1: start\n\n```console {{exit=1}}\n$ ./start\n{printed}\n```\n\n"
        "### Fix: stop-the-other {kind=command}\n\nStop it.\n\n"
        "## Attempt 2: again\n\n```console {exit=0}\n$ ./start\nup\n```\n"
    )


def test_what_another_program_met_is_a_suggestion_with_a_warning(store: Store) -> None:
    found = match(store, IN_USE)
    assert found.level == "similar"
    assert found.caution.startswith("any program can print this message")
    assert "(vllm)" in found.caution
    assert found.caution in found.why
    assert found.fixes[0].components == ("vllm",)


def test_a_log_that_names_the_program_needs_no_warning(store: Store) -> None:
    found = match(store, IN_USE, head="INFO vLLM API server version 0.15.1")
    assert (found.level, found.caution) == ("exact", "")
    assert match(store, IN_USE, head="INFO /opt/myvllmish/bin").caution != ""


def test_the_same_place_in_the_program_needs_no_warning(store: Store) -> None:
    found = match(store, IN_USE, place="serve.py", function="bind_server")
    assert (found.level, found.caution) == ("exact", "")


def test_the_same_port_or_path_shows_that_it_is_the_same_program(store: Store) -> None:
    found = match(store, REFUSED)
    assert (found.level, found.caution[:11]) == ("exact", "any program")
    assert match(store, REFUSED.replace("6379", "5432")).level == "similar"


@pytest.mark.parametrize(
    ("message", "more"),
    [
        ("[Errno 98] Address already in use", False),
        ("[Errno 111] Connection refused", False),
        ("Too many open files", False),
        ("connect ECONNREFUSED 127.0.0.1:6379", True),
        ("[Errno 13] Permission denied: '/var/log/app.log'", True),
        ("zstd.h: No such file or directory", True),
        ("bash: nvcc: command not found", True),
    ],
)
def test_a_message_that_names_something_says_more_than_the_system(message: str, more: bool) -> None:
    assert says_more(message) == more


def test_where_nothing_says_which_program_it_was_the_message_is_enough_but_comes_with_a_warning(tmp_path: Path) -> None:
    made = base(tmp_path)
    printed = "nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)"
    bare(made, printed)
    build_index(made)
    with open_store(made) as store:
        report = triage(f"{printed}\n".encode(), "x.log", store)
    assert report.verdict == "known"
    assert report.failures[0].matches[0].caution.startswith("any program can print this message")


@pytest.mark.parametrize(
    ("recorded", "printed", "verdict"),
    [
        ("No such file or directory", "No such file or directory", "known"),
        ("Killed", "Killed", "known"),
        ("java.io.IOException: Permission denied", "java.io.IOException: Permission denied", "known"),
        ("No such file or directory", "touch: cannot touch '/a/b': No such file or directory", "new"),
        ("Permission denied", "gradlew: Permission denied", "new"),
        ("gradlew: Permission denied", "bash: ./gradlew: Permission denied", "known"),
    ],
)
def test_the_systems_words_alone_are_no_failure_that_says_more(
    tmp_path: Path, recorded: str, printed: str, verdict: str
) -> None:
    made = base(tmp_path)
    bare(made, recorded)
    build_index(made)
    with open_store(made) as store:
        report = triage(f"{printed}\n".encode(), "x.log", store)
    assert report.verdict == verdict
    (match,) = report.failures[0].matches
    assert match.fixes, "it is shown at least"
    assert (match.level == "similar") == (verdict == "new")


def test_a_message_of_the_programs_own_needs_no_warning(store: Store) -> None:
    assert match(store, OWN).caution == ""


@pytest.mark.parametrize(
    ("type_", "template"),
    [
        ("OSError", "[Errno 24] Too many open files: <path>"),
        ("Error", "connect ECONNREFUSED <value>"),
        ("", "bash: foo: command not found"),
        ("", "npm: not found"),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'x.toml'"),
        ("IOException", "Permission denied"),
        ("", "Killed"),
        ("", "dial tcp: lookup db: no such host"),
        ("ConnectionRefusedError", "[Errno 111] Connection refused"),
        ("Error", "Connection reset by peer"),
    ],
)
def test_any_program_can_say_what_the_system_says(type_: str, template: str) -> None:
    assert anyones(type_, template)


@pytest.mark.parametrize(
    ("type_", "template"),
    [
        ("AttributeError", "'…Config' object has no attribute 'image_token_index'"),
        ("ModuleNotFoundError", "No module named 'foo'"),
        ("RuntimeError", "CUDA error: out of memory while the batch was built: <size>"),
        ("ValueError", "option --killed-by is not allowed"),
    ],
)
def test_what_a_program_words_itself_is_its_own(type_: str, template: str) -> None:
    assert not anyones(type_, template)


def test_the_tables_can_be_used() -> None:
    anyone().check()
    assert programs(("python", "vllm", "CUDA", "vllm")) == ("vllm",)
    assert all(name == name.lower() for name in platforms())
