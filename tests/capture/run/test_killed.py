"""kb is killed at random moments: the record is readable, and nothing that was seen is missing from it."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from terminals import eventually, finish, kb, pexpect, runs

from kb.capture.run.filing import recover
from kb.capture.run.ring import Ring, is_held
from kb.home import find_home, read_home
from kb.record.folder import read_file, session_files

PROGRAM = """
import sys, time
for n in range(1, 4001):
    print(f"line {n} of the program", flush=n % 7 == 0)
    if n % 400 == 0:
        time.sleep(0.01)
sys.stdout.write("no end of line")
sys.stdout.flush()
time.sleep(0.05)
print(" and now there is one")
"""
ALL = [f"line {n} of the program" for n in range(1, 4001)] + ["no end of line and now there is one"]


def children(process: int) -> list[int]:
    path = Path(f"/proc/{process}/task/{process}/children")
    return [int(word) for word in path.read_text().split()] if path.exists() else []


def pump_of(watchdog: int) -> int | None:
    """The process of the pump: the child of kb that runs kb itself, and leads no session of its own."""
    for process in children(watchdog):
        line = Path(f"/proc/{process}/cmdline")
        with contextlib.suppress(OSError):
            if b"-m\0kb" in line.read_bytes() and os.getsid(process) != process:
                return process
    return None


def started(tmp_path: Path, seed: int):  # type: ignore[no-untyped-def]
    child = kb(tmp_path, "run", "-q", "--", sys.executable, "-c", PROGRAM)
    child.logfile_read = (tmp_path / "seen").open("w")
    child.expect_exact("line 1 of")
    return child, random.Random(seed)


def ended(tmp_path: Path) -> dict[str, Any] | None:
    """The run that has ended. Where the pump was done before kb was killed, nobody is left to say so: the next command
    of kb does."""
    for folder in (path.parent for path in tmp_path.rglob("run.json")):
        if not is_held(folder):
            home = find_home(tmp_path)
            recover(home, Ring(folder.parent))
    return next((run for run in runs(tmp_path) if run["ended"]), None)


def drain(child, seconds: float) -> None:  # type: ignore[no-untyped-def]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            child.read_nonblocking(65536, timeout=0.01)
        except pexpect.TIMEOUT:
            continue
        except pexpect.EOF:
            return


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the processes are found in /proc")
@pytest.mark.parametrize("seed", range(10))
def test_the_pump_is_killed_and_nobody_notices(seed: int, tmp_path: Path) -> None:
    child, chance = started(tmp_path, seed)
    for _ in range(3):
        drain(child, chance.uniform(0, 0.08))
        pump = pump_of(child.pid)
        if pump is not None:
            os.kill(pump, signal.SIGKILL)
    child.expect(pexpect.EOF)
    child.close()
    child.logfile_read.close()
    assert child.exitstatus == 0
    assert runs(tmp_path)[-1]["log"].splitlines() == ALL
    seen = (tmp_path / "seen").read_text()
    assert [line for line in ALL if f"{line}\n" not in seen.replace("\r", "")] == []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the processes are found in /proc")
@pytest.mark.parametrize("seed", range(10))
def test_kb_is_killed_and_the_program_and_its_record_go_on(seed: int, tmp_path: Path) -> None:
    child, chance = started(tmp_path, seed)
    drain(child, chance.uniform(0, 0.15))
    os.kill(child.pid, signal.SIGKILL)
    child.expect(pexpect.EOF)
    child.close()
    child.logfile_read.close()
    run = eventually(lambda: ended(tmp_path))
    assert run["exit"] in (None, 0)  # it may have ended just before
    logged = run["log"].splitlines()
    for line in re.findall("line [0-9]+ of the program", (tmp_path / "seen").read_text()):
        assert line in logged
    assert logged == ALL[: len(logged)]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the processes are found in /proc")
@pytest.mark.parametrize("seed", range(5))
def test_all_of_kb_is_killed_at_once(seed: int, tmp_path: Path) -> None:
    child, chance = started(tmp_path, seed)
    drain(child, chance.uniform(0, 0.15))
    pump = pump_of(child.pid)
    os.kill(child.pid, signal.SIGKILL)
    if pump is not None:
        os.kill(pump, signal.SIGKILL)
    child.expect(pexpect.EOF)
    child.close()
    child.logfile_read.close()
    logged = runs(tmp_path)[-1]["log"].splitlines()
    assert logged == ALL[: len(logged)]
    whole = re.findall("line [0-9]+ of the program(?=\r)", (tmp_path / "seen").read_text())
    assert [line for line in whole if line not in logged] == []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the processes are found in /proc")
@pytest.mark.parametrize("seed", range(3))
def test_the_record_of_the_session_has_what_was_seen_when_kb_was_killed(seed: int, tmp_path: Path) -> None:
    (tmp_path / "kb.toml").write_text("")
    (tmp_path / "sessions").mkdir()
    assert finish(kb(tmp_path, "start", "it", "is", "killed")) == (0, None)
    child, chance = started(tmp_path, seed)
    drain(child, chance.uniform(0, 0.15))
    os.kill(child.pid, signal.SIGKILL)
    child.expect(pexpect.EOF)
    child.close()
    child.logfile_read.close()
    eventually(lambda: ended(tmp_path))
    (path,) = session_files(read_home(tmp_path))

    def bodies() -> list[str]:
        reading = read_file(path, path.name)
        assert reading.problems == ()
        assert reading.session is not None
        return [step.body for attempt in reading.session.attempts for step in attempt.steps if step.step == "console"]

    (body,) = eventually(bodies)
    logged = runs(tmp_path)[-1]["log"].splitlines()
    assert body.splitlines()[1] == ALL[0]
    assert body.splitlines()[-1] == logged[-1]
