"""Measure the reading of a large log with rare failures, beside ripgrep looking for the same marker words.

usage: python bench/large.py [--megabytes N]

Prints bytes per second of CPU for both, in turn, their ratio, and kb's largest memory. The log is made anew: healthy
lines, and a traceback every 6,000 lines, so that about 0.1 % of the lines belong to failures. A second log is nothing
but tracebacks.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from kb.failures.places import MARKERS
from kb.failures.tables import rows

_WORDS = ["cache", "shard", "tensor", "request", "worker", "bucket", "schema", "leader", "index", "cursor", "batch"]
_TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "/srv/app/run.py", line 3, in run\n    step(x)\n'
    '  File "/srv/app/run.py", line 9, in step\n    raise ValueError(x)\n'
    "ValueError: bad shard {} in {}\n"
)
_READ = (
    "import sys; from kb.failures.large import find_in_stream\n"
    "found = find_in_stream(open(sys.argv[1], 'rb')).found\n"
    "print(len(found.failures), found.lines)"
)


def rare(path: Path, size: int) -> None:
    """Write a log of `size` bytes of which about a line in a thousand belongs to a failure."""
    random_ = random.Random(1)
    lines = [
        f"2025-03-01 09:{i % 60:02d}:{i % 59:02d},{i % 1000:03d} INFO [{random_.choice(_WORDS)}] "
        f"{random_.choice(_WORDS)} {random_.randrange(10**6)} took {random_.randrange(900)} ms"
        for i in range(6000)
    ]
    with path.open("w") as stream:
        number = 0
        while stream.tell() < size:
            random_.shuffle(lines)
            stream.write("\n".join(lines) + "\n" + _TRACEBACK.format(number, random_.choice(_WORDS)))
            number += 1


def dense(path: Path, size: int) -> None:
    """Write a log of `size` bytes that is nothing but tracebacks."""
    with path.open("w") as stream:
        number = 0
        while stream.tell() < size:
            stream.write(_TRACEBACK.format(number, _WORDS[number % len(_WORDS)]))
            number += 1


def spent(command: list[str]) -> tuple[float, float]:
    """CPU seconds and peak MiB of `command` on one core."""
    if hasattr(os, "sched_setaffinity") and shutil.which("taskset"):
        command = ["taskset", "-c", str(min(os.sched_getaffinity(0))), *command]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> int:
    """Print the figures; exit status 1 when a goal is missed, 2 without ripgrep."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("--megabytes", type=int, default=1000, help="size of the log with rare failures")
    arguments.add_argument("--dense", type=int, default=100, help="size of the log of nothing but tracebacks")
    options = arguments.parse_args()
    if shutil.which("rg") is None:
        print("ripgrep is not installed")
        return 2
    with tempfile.TemporaryDirectory() as name:
        log, marks = Path(name, "rare.log"), Path(name, "markers.txt")
        marks.write_text("".join(f"{cells[0]}\n" for _, cells in rows(MARKERS, 1)))
        rare(log, options.megabytes * 1_000_000)
        size = log.stat().st_size / 1e6
        ours, theirs, memory = [], [], 0.0
        for _ in range(3):
            cpu, peak = spent([sys.executable, "-c", _READ, str(log)])
            ours.append(cpu)
            memory = max(memory, peak)
            theirs.append(spent(["rg", "-j1", "-c", "-F", "-f", str(marks), str(log)])[0])
        ours.sort()
        theirs.sort()
        ratio = theirs[1] / ours[1]
        print(f"{size:.0f} MB, rare failures: kb {size / ours[1]:.0f} MB/s, rg {size / theirs[1]:.0f} MB/s of CPU")
        print(f"kb reads at {ratio:.2f} of rg's speed (goal 0.33), in {memory:.0f} MiB at most (goal 300)")
        log.unlink()
        packed = Path(name, "dense.log")
        dense(packed, options.dense * 1_000_000)
        cpu, peak = spent([sys.executable, "-c", _READ, str(packed)])
        print(f"{options.dense} MB of nothing but tracebacks: {cpu:.0f} s of CPU (goal 60), {peak:.0f} MiB")
        return int(ratio < 1 / 3 or memory > 300 or cpu > 60)


if __name__ == "__main__":
    sys.exit(main())
