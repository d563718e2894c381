"""`kb run` in a real terminal: it looks and behaves as without kb, and what was seen is in the log."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from terminals import finish, kb, pexpect, runs, stored

PY = sys.executable


def test_the_program_has_a_terminal_of_the_same_size_and_keeps_its_colours(tmp_path: Path) -> None:
    child = kb(tmp_path, "run", "--", "sh", "-c", "stty size; printf '\\033[31mred\\033[0m\\n'", size=(33, 99))
    child.expect_exact("33 99\r\n")
    child.expect_exact("\x1b[31mred\x1b[0m\r\n")
    assert finish(child) == (0, None)
    assert runs(tmp_path)[-1]["log"] == "33 99\nred\n"


def test_a_new_size_reaches_the_program(tmp_path: Path) -> None:
    script = "trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.05; done"
    child = kb(tmp_path, "run", "--", "sh", "-c", script, size=(24, 80))
    child.expect_exact("ready")
    child.setwinsize(40, 120)
    child.expect_exact("40 120")
    assert finish(child) == (0, None)


@pytest.mark.parametrize("status", [0, 1, 7, 42, 255])
def test_the_exit_status_is_the_programs(status: int, tmp_path: Path) -> None:
    assert finish(kb(tmp_path, "run", "-q", "--", "sh", "-c", f"exit {status}")) == (status, None)
    assert runs(tmp_path)[-1]["exit"] == status


@pytest.mark.parametrize(("name", "number"), [("TERM", 15), ("SEGV", 11), ("ABRT", 6)])
def test_the_signal_that_ended_the_program_is_passed_on(name: str, number: int, tmp_path: Path) -> None:
    assert finish(kb(tmp_path, "run", "-q", "--", "sh", "-c", f"kill -{name} $$")) == (None, number)
    assert runs(tmp_path)[-1]["signal"] == number


def test_a_killed_program_is_told_by_the_exit_status_of_shells(tmp_path: Path) -> None:
    assert finish(kb(tmp_path, "run", "-q", "--", "sh", "-c", "kill -KILL $$")) == (137, None)


def test_ctrl_c_reaches_the_program_alone(tmp_path: Path) -> None:
    child = kb(tmp_path, "run", "--", PY, "-c", "print('ready', flush=True); import time; time.sleep(60)")
    child.expect_exact("ready")
    child.sendintr()
    child.expect_exact("KeyboardInterrupt")
    assert finish(child) == (None, 2)
    # Stopped by hand is no failure to be talked about.
    assert "kb:" not in child.before


def test_a_program_that_handles_ctrl_c_goes_on(tmp_path: Path) -> None:
    child = kb(tmp_path, "run", "-q", "--", "sh", "-c", "trap 'echo caught; exit 42' INT; echo ready; sleep 60 & wait")
    child.expect_exact("ready")
    child.sendintr()
    child.expect_exact("caught")
    assert finish(child) == (42, None)


def test_what_is_typed_at_a_password_prompt_is_nowhere(tmp_path: Path) -> None:
    program = "import getpass; print(len(getpass.getpass('Password: ')))"
    child = kb(tmp_path, "run", "--", PY, "-c", program)
    child.expect_exact("Password: ")
    child.sendline("correct horse battery")
    child.expect_exact("21")
    assert finish(child) == (0, None)
    assert "Password:" in runs(tmp_path)[-1]["log"]
    assert not any(b"horse" in content for content in stored(tmp_path))


def test_a_big_paste_arrives_whole(tmp_path: Path) -> None:
    script = "stty raw -echo; printf 'ready\\n'; head -c 160000 | cksum; printf 'done\\n'"
    child = kb(tmp_path, "run", "--", "sh", "-c", script)
    child.expect_exact("ready")
    child.send("x" * 160_000)
    child.expect_exact(" 160000")
    child.expect_exact("done")
    assert finish(child) == (0, None)


def test_the_end_of_input_reaches_the_program(tmp_path: Path) -> None:
    child = kb(tmp_path, "run", "--", "cat")
    child.sendline("hello")
    child.expect_exact("hello\r\nhello")
    child.sendeof()
    assert finish(child) == (0, None)


def test_input_from_a_pipe_is_the_programs_own(tmp_path: Path) -> None:
    child = kb(tmp_path, "run", "--", "true")
    finish(child)
    shell = pexpect.spawn(
        "sh",
        ["-c", f"echo from a pipe | {PY} -m kb run -- sh -c 'cat; test -t 1 && echo on a terminal'"],
        cwd=str(tmp_path),
        env=child.env,
        timeout=30,
        encoding="utf-8",
    )
    shell.expect_exact("from a pipe")
    shell.expect_exact("on a terminal")
    assert finish(shell) == (0, None)


def test_an_alternate_screen_is_dropped_and_a_progress_bar_is_one_line(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "w = sys.stdout.write\n"
        "w('before\\n\\x1b[?1049h' + 'editor\\n' * 50 + '\\x1b[?1049l')\n"
        "for i in range(101): w(f'\\r{i:3}% done'); sys.stdout.flush()\n"
        "w('\\nafter\\n')\n"
    )
    child = kb(tmp_path, "run", "--", PY, "-c", program)
    child.expect_exact("editor")
    child.expect_exact("after")
    assert finish(child) == (0, None)
    assert runs(tmp_path)[-1]["log"] == "before\n100% done\nafter\n"


def test_a_job_left_in_the_background_does_not_keep_kb(tmp_path: Path) -> None:
    child = kb(tmp_path, "run", "--", "sh", "-c", "trap '' HUP; sleep 20 & echo done")
    child.expect_exact("done")
    child.timeout = 10
    assert finish(child) == (0, None)


def test_a_secret_is_seen_but_never_stored(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"[:36]
    child = kb(tmp_path, "run", "--", "sh", "-c", f"printf '\\033[32mtoken\\033[0m {token}\\n'")
    child.expect_exact(token)
    assert finish(child) == (0, None)
    assert not any(token.encode() in content for content in stored(tmp_path))
    run = runs(tmp_path)[-1]
    assert "<secret:" in run["log"]
    assert "<secret:" in run["command"]


def test_a_failure_is_followed_by_quiet_lines(tmp_path: Path) -> None:
    child = kb(tmp_path, "run", "--", PY, "-c", "raise ValueError('no such thing: 17')")
    child.expect_exact("kb: ValueError: no such thing: 17")
    child.expect_exact("kb promote")
    assert finish(child) == (1, None)
