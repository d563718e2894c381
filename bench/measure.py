"""Measuring child processes: CPU time and memory from the operating system's own accounts."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Cost(NamedTuple):
    """What one run of a command cost: CPU seconds, wall seconds, and the most memory it held, in MiB."""

    cpu: float
    wall: float
    memory: float


def environment() -> dict[str, str]:
    """The environment of a child: compiled code is kept, as it is in an installed package, but in a folder of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "KB_"))}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "kb-bench-compiled")}


def cost(command: Sequence[str | Path], folder: Path | None = None, *, allow: Sequence[int] = (0,)) -> Cost:
    """Run `command` once; exit statuses other than those of `allow` raise."""
    begin = os.times().elapsed
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in allow:
        raise RuntimeError(f"{command} exited with {process.returncode}\n{errors.decode(errors='replace')}")
    # Linux counts memory in KiB, macOS in bytes.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Cost(usage.ru_utime + usage.ru_stime, os.times().elapsed - begin, usage.ru_maxrss / unit)


def medians(
    commands: dict[str, tuple[Sequence[str | Path], Path | None, Sequence[int]]], runs: int = 11
) -> dict[str, Cost]:
    """The median costs of several commands, run in turn so that a busy moment hits all of them."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, (command, folder, allow) in commands.items():
            costs[name].append(cost(command, folder, allow=allow))
    return {
        name: Cost(*(statistics.median(values) for values in zip(*runs_, strict=True))) for name, runs_ in costs.items()
    }
