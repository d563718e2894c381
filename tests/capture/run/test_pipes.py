"""`kb run` where there is no terminal, as in CI: two pipes, passed on as they are."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from terminals import environment, runs, stored


def run(folder: Path, *arguments: str, shell: str = "") -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", shell] if shell else [sys.executable, "-m", "kb", "run", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False, timeout=60,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_the_two_streams_stay_apart_and_the_log_has_both(tmp_path: Path) -> None:
    script = "echo out; sleep 0.1; echo err >&2; test -t 1 || echo no terminal; exit 5"
    ran = run(tmp_path, "-q", "--", "sh", "-c", script)
    assert (ran.returncode, ran.stdout, ran.stderr) == (5, "out\nno terminal\n", "err\n")
    assert sorted(runs(tmp_path)[-1]["log"].splitlines()) == ["err", "no terminal", "out"]


def test_a_reader_that_goes_away_ends_the_program(tmp_path: Path) -> None:
    ran = run(tmp_path, shell=f"{sys.executable} -m kb run -q -- yes | head -1")
    assert ran.stdout == "y\n"
    assert runs(tmp_path)[-1]["signal"] == 13


def test_all_bytes_arrive(tmp_path: Path) -> None:
    ran = run(tmp_path, shell=f"{sys.executable} -m kb run -- head -c 30000000 /dev/zero | cksum")
    assert ran.stdout.split()[1] == "30000000"
    ran = run(tmp_path, shell=f"{sys.executable} -m kb run -- seq 1 300000 | tail -1")
    assert ran.stdout == "300000\n"
    assert runs(tmp_path)[-1]["log"].endswith("299999\n300000\n")


def test_a_line_for_the_shell(tmp_path: Path) -> None:
    assert run(tmp_path, "echo $((40 + 2)) | cat").stdout == "42\n"
    assert runs(tmp_path)[-1]["command"] == "echo $((40 + 2)) | cat"


def test_a_command_that_is_missing_or_cannot_be_run(tmp_path: Path) -> None:
    ran = run(tmp_path, "--", "nonesuch")
    assert (ran.returncode, ran.stderr) == (127, "kb: nonesuch: command not found\n")
    (tmp_path / "file").write_text("")
    assert run(tmp_path, "--", "./file").returncode == 126
    assert run(tmp_path).returncode == 64


def test_a_key_over_several_lines_is_not_stored(tmp_path: Path) -> None:
    body = "MIIEowIBAAKCAQEAx3V5n7Qy"
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *[body] * 8, "-----END RSA PRIVATE KEY-----"])
    (tmp_path / "key").write_text(f"before\n{key}\nafter\n")
    program = "import time\nfor line in open('key'): print(line, end='', flush=True); time.sleep(.01)"
    ran = run(tmp_path, "--", sys.executable, "-c", program)
    assert body in ran.stdout
    assert not any(body.encode() in content for content in stored(tmp_path / "state"))
    assert runs(tmp_path)[-1]["log"].startswith("before\n")
    assert runs(tmp_path)[-1]["log"].endswith("after\n")


def test_a_full_disk_does_not_stop_the_program(tmp_path: Path) -> None:
    script = (
        "import sys; sys.argv = ['kb', 'run', '--', 'seq', '1', '5']\n"
        "from kb.capture.run import spool\n"
        "def full(*_): raise OSError(28, 'No space left on device')\n"
        "spool.Spool._write = full\n"
        "from kb.cli.main import run\n"
        "run()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, "1\n2\n3\n4\n5\n")
    assert "not recorded whole: No space left on device" in ran.stderr


def test_a_command_of_several_lines_is_written_on_one(tmp_path: Path) -> None:
    run(tmp_path, "--", "printf", "%s\n", "it's a\nb\\c")
    written = runs(tmp_path)[-1]["command"]
    assert written == r"printf $'%s\n' $'it\'s a\nb\\c'"
    shell = subprocess.run(["bash", "-c", written], capture_output=True, text=True, check=True)
    assert shell.stdout == "it's a\nb\\c\n"


def not_a_folder(folder: Path) -> None:
    (folder / ".kb").write_text("")


def unconfirmed(folder: Path) -> None:
    (folder / "kb.toml").write_text('redaction = "off"\n')


@pytest.mark.parametrize("break_", [not_a_folder, unconfirmed])
def test_a_command_that_cannot_be_recorded_runs_to_its_end_all_the_same(
    tmp_path: Path, break_: Callable[[Path], None]
) -> None:
    (tmp_path / "kb.toml").write_text("")
    break_(tmp_path)
    ran = run(tmp_path, "--", "sh", "-c", "sleep 2; echo seen; touch done; exit 7")
    assert (ran.returncode, ran.stdout) == (7, "seen\n")
    assert (tmp_path / "done").exists()
    assert "the command is not recorded: " in ran.stderr
