"""What Python itself prints, under the Python at hand: each small program fails, and its root is found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kb.failures.find import Found, find_failures

PROGRAMS = Path(__file__).parent / "programs"


def run(name: str) -> Found:
    """Run one program and read all that it printed, as a terminal would have shown it."""
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / f"{name}.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    return find_failures(done.stdout)


ROOTS = [
    ("direct_cause", "FileNotFoundError", "[Errno 2] No such file or directory: 'no-such-settings.json'"),
    ("during_handling", "ValueError", "model type 'kimi_k2' is not one of ['llama']"),
    ("during_cleanup", "ConnectionRefusedError", "[Errno 111] Connection refused"),
    ("notes", "ValueError", "invalid literal for int() with base 10: 'n/a'"),
    ("group", "TimeoutError", "no answer from eu-1"),
    ("recursion", "RecursionError", "maximum recursion depth exceeded"),
    ("syntax_error", "SyntaxError", "invalid syntax"),
    ("multi_line", "RuntimeError", "Error(s) in loading state_dict for M:"),
    ("bare_assert", "AssertionError", "assert heads % size == 0"),
    ("thread", "LookupError", "no shard for rank 3"),
    ("ignored", "ConnectionRefusedError", "[Errno 111] Connection refused"),
    ("never_retrieved", "PermissionError", "[Errno 13] Permission denied: 'tokens.json'"),
    ("pool", "ValueError", "could not convert string to float: '--'"),
    ("executor", "KeyError", "'b'"),
    ("child_process", "MemoryError", "cache of 3 GiB does not fit"),
    ("segfault", "Fatal Python error", "Segmentation fault"),
    ("subprocess_failed", "ModuleNotFoundError", "No module named 'no_such_backend'"),
    ("stuck", "Timeout", "no progress; faulthandler dumped the stacks"),
    ("logged", "AttributeError", "'NoneType' object has no attribute 'split'"),
]


@pytest.mark.parametrize(("name", "kind", "message"), ROOTS, ids=[r[0] for r in ROOTS])
def test_the_root_of_a_failing_program_is_its_primary(name: str, kind: str, message: str) -> None:
    found = run(name)
    assert found.primary is not None
    primary = found.failures[found.primary]
    assert (primary.type, primary.message.split("\n")[0], primary.role) == (kind, message, "root")
    assert not found.symptom_only


def test_every_program_has_an_expectation() -> None:
    assert {p.stem for p in PROGRAMS.glob("*.py")} == {r[0] for r in ROOTS} | {"healthy"}


def test_a_program_that_only_talks_of_errors_shows_no_failure() -> None:
    assert run("healthy").failures == ()


def test_what_wraps_the_root_says_so_and_names_it() -> None:
    found = run("executor")
    assert [f.role for f in found.failures] == ["root", "wrapper", "wrapper"]
    assert [f.caused_by for f in found.failures] == [None, 0, 1]
    assert found.failures[2].because == (f"raised from KeyError (line {found.failures[1].line})",)


def test_members_of_a_group_are_roots_and_the_groups_are_wrappers() -> None:
    found = run("group")
    assert [(f.type, f.role) for f in found.failures] == [
        ("ExceptionGroup", "wrapper"),
        ("TimeoutError", "root"),
        ("TimeoutError", "root"),
        ("ExceptionGroup", "wrapper"),
        ("LookupError", "root"),
    ]


def test_an_ignored_exception_is_an_after_effect() -> None:
    found = run("ignored")
    assert [(f.type, f.role) for f in found.failures] == [
        ("ConnectionRefusedError", "root"),
        ("AttributeError", "teardown"),
    ]


def test_notes_are_kept_beside_the_message() -> None:
    found = run("notes")
    assert found.failures[0].notes == ("while reading column 'latency'", "row 17 of metrics.csv")


def test_a_thread_and_a_child_process_give_their_names() -> None:
    assert run("thread").failures[0].process == "producer-0"
    assert run("child_process").failures[0].notes == ("Process Worker-1:",)


def test_frames_run_from_the_outermost_to_the_one_that_failed() -> None:
    frames = run("direct_cause").failures[0].frames
    assert [f.function for f in frames] == ["load", "read"]
    assert frames[-1].source == 'return {"width": int(open(path).read())}'


def test_the_crashing_threads_frames_are_turned_to_the_same_order() -> None:
    frames = run("segfault").failures[0].frames
    assert frames[0].function == "<module>"
    assert frames[-1].function == "string_at"
