"""`kb run` under the job control of a real bash: Ctrl-Z, `fg`, `bg` and `&` do what they do without kb."""

from __future__ import annotations

import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from terminals import PATIENCE, environment, eventually, need, pexpect, runs

RUN = f"{sys.executable} -m kb run -q --"
PROMPT = "ready> "
#: Says a number whenever a line is typed, and what it is told by signals.
ASKING = (
    "import signal, sys\n"
    "def stop(number, frame):\n"
    "    print('stopping', flush=True)\n"
    "    signal.signal(signal.SIGTSTP, signal.SIG_DFL); signal.raise_signal(signal.SIGTSTP)\n"
    "    signal.signal(signal.SIGTSTP, stop)\n"
    "    print('back', flush=True)\n"
    "signal.signal(signal.SIGTSTP, stop)\n"
    "print('begun', flush=True)\n"
    "for line in sys.stdin: print('got', line.strip(), flush=True)\n"
    "print('over')\n"
)


@pytest.fixture
def bash(tmp_path: Path) -> Iterator[Any]:
    need("bash")
    (tmp_path / "asking.py").write_text(ASKING)
    env = {**environment(tmp_path), "PS1": PROMPT, "HISTFILE": "", "INPUTRC": "/dev/null"}
    shell = pexpect.spawn(
        "bash",
        ["--norc", "--noprofile", "--noediting", "-i"],
        cwd=str(tmp_path),
        env=env,
        timeout=PATIENCE,
        encoding="utf-8",
    )
    shell.expect_exact(PROMPT)
    yield shell
    shell.close(force=True)


def goes_on_where_it_stopped(shell: Any) -> None:
    """The shell tells of the stop and prompts; `fg` lets the run say that it went on, and leaves the terminal in order."""
    shell.expect_exact("Stopped")
    shell.expect_exact(PROMPT)
    shell.sendline("fg")
    shell.expect_exact("went on")
    shell.expect_exact(PROMPT)
    assert cooked(shell)


def cooked(shell: Any) -> bool:
    """Whether the terminal behaves as a shell leaves it: it echoes, edits lines, and makes signals of keys."""
    wanted = termios.ISIG | termios.ICANON | termios.ECHO
    modes: int = termios.tcgetattr(shell.child_fd)[3]
    return modes & wanted == wanted


def test_ctrl_z_gives_the_prompt_back_and_fg_goes_on(bash: Any, tmp_path: Path) -> None:
    bash.sendline(f"{RUN} {sys.executable} asking.py")
    bash.expect_exact("begun\r\n")
    bash.send("\x1a")
    bash.expect_exact("stopping\r\n")
    bash.expect_exact("Stopped")
    bash.expect_exact(PROMPT)
    assert cooked(bash)
    bash.sendline("echo $((20 + 22)) is said by the shell")
    bash.expect_exact("42 is said by the shell")
    bash.expect_exact(PROMPT)
    bash.sendline("fg")
    bash.expect_exact("back\r\n")
    bash.sendline("one")
    bash.expect_exact("got one")
    bash.send("\x1a")  # and once more
    bash.expect_exact("stopping")
    bash.expect_exact(PROMPT)
    bash.sendline("fg")
    bash.expect_exact("back\r\n")
    bash.send("\x04")
    bash.expect_exact("over")
    bash.expect_exact(PROMPT)
    assert cooked(bash)
    bash.sendline("echo ended with $?")
    bash.expect_exact("ended with 0")
    run = runs(tmp_path)[-1]
    assert run["exit"] == 0
    for said in ("stopping", "back", "got one", "over"):
        assert said in run["log"]
    assert "said by the shell" not in run["log"]


def test_what_was_stopped_goes_on_in_the_background(bash: Any, tmp_path: Path) -> None:
    bash.sendline(f"{RUN} sh -c 'echo begun; sleep 0.2; while ! test -e go; do sleep 0.05; done; echo went on'")
    bash.expect_exact("begun\r\n")
    bash.send("\x1a")
    bash.expect_exact("Stopped")
    bash.expect_exact(PROMPT)
    bash.sendline("bg; touch go")
    bash.expect_exact("went on")
    assert cooked(bash)
    bash.sendline("echo $((20 + 22)) is typed to the shell")
    bash.expect_exact("42 is typed to the shell")
    assert cooked(bash)


def test_a_run_in_the_background_takes_no_keys_and_can_be_brought_back(bash: Any, tmp_path: Path) -> None:
    bash.sendline(f"{RUN} {sys.executable} asking.py &")
    bash.expect_exact("begun")
    assert cooked(bash)
    bash.sendline("echo $((20 + 22)) is typed to the shell")
    bash.expect_exact("42 is typed to the shell")
    bash.sendline("fg")
    bash.expect_exact("asking.py")
    eventually(lambda: not cooked(bash))
    bash.sendline("two")
    bash.expect_exact("got two")
    bash.send("\x04")
    bash.expect_exact("over")
    bash.expect_exact(PROMPT)
    assert cooked(bash)
    assert "typed to the shell" not in runs(tmp_path)[-1]["log"]


def test_a_program_that_is_stopped_from_outside_stops_kb_too(bash: Any) -> None:
    bash.sendline(f"{RUN} sh -c 'echo begun; kill -STOP $$; echo went on'")
    bash.expect_exact("begun\r\n")
    goes_on_where_it_stopped(bash)


def test_ctrl_z_stops_a_run_in_a_pipe_as_a_whole(bash: Any) -> None:
    bash.sendline(f"{RUN} sh -c 'echo begun; sleep 1; echo went on' | cat")
    bash.expect_exact("begun\r\n")  # the terminal is as `cat` needs it
    bash.send("\x1a")
    goes_on_where_it_stopped(bash)


def test_without_a_shell_that_could_continue_it_nothing_stops(tmp_path: Path) -> None:
    (tmp_path / "asking.py").write_text(ASKING)
    child = pexpect.spawn(
        sys.executable,
        ["-m", "kb", "run", "-q", "--", sys.executable, "asking.py"],
        cwd=str(tmp_path),
        env=environment(tmp_path),
        timeout=PATIENCE,
        encoding="utf-8",
    )
    child.expect_exact("begun\r\n")
    child.send("\x1a")
    child.expect_exact("stopping\r\n")
    child.expect_exact("back\r\n")
    child.sendline("three")
    child.expect_exact("got three")
    child.send("\x04")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
