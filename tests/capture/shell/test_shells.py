"""`kb shell` in real shells: every command with its output, exit status and folder, and nothing else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from terminals import kb, need, pexpect, runs, stored

PROMPT = "READY> "


class Shell:
    """A shell that is typed into."""

    def __init__(self, name: str, folder: Path, *options: str) -> None:
        need(name)
        folder.joinpath(".bashrc").write_text(f"PS1='{PROMPT}'\n")
        folder.joinpath(".zshrc").write_text(f"PS1='{PROMPT}'\nunsetopt zle prompt_cr prompt_sp\n")
        config = folder / ".config" / "fish"
        config.mkdir(parents=True, exist_ok=True)
        config.joinpath("config.fish").write_text(
            f"function fish_prompt; echo -n '{PROMPT}'; end\nfunction fish_greeting; end\n"
        )
        self.name, self.folder = name, folder
        self.child: Any = kb(folder, "shell", "--shell", name, *options, env={"TERM": "dumb"})
        self.ready()

    def ready(self) -> None:
        self.child.expect_exact(PROMPT)

    def type(self, line: str) -> None:
        self.child.sendline(line)
        self.ready()

    def end(self) -> int | None:
        self.child.sendline("exit")
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus

    def commands(self) -> list[tuple[str, int | None, str]]:
        return [(run["command"], run["exit"], run["log"]) for run in runs(self.folder)]


@pytest.fixture(params=["bash", "zsh", "fish"])
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shell]:
    started = Shell(request.param, tmp_path)
    yield started
    started.child.close(force=True)


def test_each_command_is_a_run_of_its_own(shell: Shell) -> None:
    shell.type("echo hello")
    shell.type("false")
    shell.type("cd /")
    shell.type('echo "it\'s "\'"nested" $HOME; x\' | cat')
    shell.type("echo hello")
    shell.type("nonesuch_command")
    assert shell.end() is not None
    assert [(command, status) for command, status, _ in shell.commands()] == [
        ("echo hello", 0),
        ("false", 1),
        ("cd /", 0),
        ('echo "it\'s "\'"nested" $HOME; x\' | cat', 0),
        ("echo hello", 0),
        ("nonesuch_command", 127),
    ]
    logs = [log for _, _, log in shell.commands()]
    assert logs[:5] == ["hello\n", "", "", 'it\'s "nested" $HOME; x\n', "hello\n"]
    assert "nonesuch_command" in logs[5]
    folders = [run["cwd"] for run in runs(shell.folder)]
    assert folders[2].endswith(shell.folder.name)
    assert folders[3] == "/"


def test_a_line_that_begins_with_a_space_is_not_recorded(shell: Shell) -> None:
    shell.type(" echo this is between us")
    shell.type("echo this is not")
    shell.end()
    assert [command for command, _, _ in shell.commands()] == ["echo this is not"]
    assert not any(b"between us" in content for content in stored(shell.folder / "state"))


def test_the_output_of_a_program_forges_no_command(shell: Shell) -> None:
    hostile = shell.folder / "evil.log"
    hostile.write_bytes(
        b"before\n\x1b]7770;0123456789abcdef0123456789abcdef;C;rm -rf forged\x07"
        b"\x1b]7770;;D;0;/forged\x07\x1b]133;C\x07\x1b]633;E;forged\x07\x1b]133;D;0\x07after\n"
    )
    shell.type("cat evil.log")
    shell.type("echo next")
    shell.end()
    assert shell.commands() == [("cat evil.log", 0, "before\nafter\n"), ("echo next", 0, "next\n")]


def test_ctrl_c_ends_a_command_and_the_next_one_is_recorded(shell: Shell) -> None:
    shell.child.sendline("sh -c 'echo started; sleep 60'")
    shell.child.expect_exact("started\r\n")
    time.sleep(0.1)
    shell.child.sendintr()
    shell.ready()
    shell.type("echo after")
    shell.end()
    commands = shell.commands()
    assert commands[0][:2] == ("sh -c 'echo started; sleep 60'", 130)
    assert commands[1] == ("echo after", 0, "after\n")


def test_what_is_typed_at_a_password_prompt_is_nowhere(shell: Shell) -> None:
    shell.child.sendline(f"{sys.executable} -c \"import getpass; print(len(getpass.getpass('Pass' + 'word: ')))\"")
    shell.child.expect_exact("Password: ")
    shell.type("correct horse battery")
    shell.end()
    assert not any(b"horse" in content for content in stored(shell.folder))


def test_a_secret_in_a_command_is_not_stored(shell: Shell) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"[:36]
    shell.type(f"echo {token}")
    shell.end()
    assert not any(token.encode() in content for content in stored(shell.folder / "state"))
    assert shell.commands()[0][0].startswith("echo <secret:")


def test_an_empty_line_and_a_comment_to_kb_are_no_commands(shell: Shell) -> None:
    shell.type("")
    shell.type("kb --version >/dev/null 2>&1")
    shell.type("true")
    shell.end()
    assert [command for command, _, _ in shell.commands()] == ["true"]


def test_a_killed_pump_loses_no_command(tmp_path: Path) -> None:
    import os
    import signal

    shell = Shell("bash", tmp_path)
    for number in range(12):
        shell.type(f"echo number {number}")
        if number % 3 == 1:
            for process in Path(f"/proc/{shell.child.pid}/task/{shell.child.pid}/children").read_text().split():
                kb_itself = b"-m\0kb" in Path(f"/proc/{process}/cmdline").read_bytes()
                if kb_itself and os.getsid(int(process)) != int(process):
                    os.kill(int(process), signal.SIGKILL)
    shell.end()
    assert shell.commands() == [(f"echo number {n}", 0, f"number {n}\n") for n in range(12)]


def test_a_shell_within_a_recorded_shell_is_refused(tmp_path: Path) -> None:
    shell = Shell("bash", tmp_path)
    shell.child.sendline(f"{sys.executable} -m kb shell")
    shell.child.expect_exact("is being recorded already")
    shell.ready()
    shell.end()


def test_without_a_terminal_it_says_what_to_do(tmp_path: Path) -> None:
    import subprocess

    from terminals import environment

    ran = subprocess.run(
        [sys.executable, "-m", "kb", "shell"], cwd=tmp_path, env=environment(tmp_path), stdin=subprocess.DEVNULL,
        capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 64
    assert "kb run" in ran.stderr


def test_the_marks_of_an_integrated_shell_are_read(tmp_path: Path) -> None:
    need("bash")
    (tmp_path / ".bashrc").write_text(
        r"""PS1='\[\e]133;A\a\]READY> \[\e]133;B\a\]'; PS0='\e]133;C\a'; PROMPT_COMMAND='printf "\e]133;D;$?\a"'"""
    )
    child = kb(tmp_path, "shell", "--shell", "bash", "--marks", env={"TERM": "dumb"})
    child.expect_exact(PROMPT)
    for line in ("echo one", "false"):
        child.sendline(line)
        child.expect_exact(PROMPT)
    child.sendline("exit")
    child.expect(pexpect.EOF)
    child.close()
    found = [(run["command"], run["exit"], run["log"]) for run in runs(tmp_path)]
    assert found == [("echo one", 0, "one\n"), ("false", 1, "")]


def test_a_session_opened_inside_takes_the_commands_from_then_on(tmp_path: Path) -> None:
    from kb.home import read_home
    from kb.record.folder import read_file, session_files

    project = tmp_path / "project"
    project.joinpath("sessions").mkdir(parents=True)
    project.joinpath("kb.toml").write_text("")
    project.joinpath("calc.py").write_text("print(1 / 0)\n")
    shell = Shell("bash", tmp_path)
    shell.type(f"alias kb='{sys.executable} -m kb'")
    shell.type("cd project; echo not in it")
    shell.type("kb start division fails")
    shell.type(f"{sys.executable} calc.py")
    shell.type("kb note the caller gives zero")
    shell.type("echo 'print(1.0)' > calc.py")
    shell.type("kb fix never-divide-by-zero")
    shell.type(f"{sys.executable} calc.py")
    shell.end()
    (path,) = session_files(read_home(project))
    reading = read_file(path, path.name)
    assert reading.session is not None
    steps = [[step.step for step in attempt.steps] for attempt in reading.session.attempts]
    assert steps in (
        [["console", "note", "console", "fix"], ["console"]],
        [["note", "console", "console", "fix"], ["console"]],
    )
    consoles = [s for attempt in reading.session.attempts for s in attempt.steps if s.step == "console"]
    assert [console.exit for console in consoles] == [1, 0, 0]
    assert "ZeroDivisionError" in consoles[0].body
