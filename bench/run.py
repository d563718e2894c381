"""What recording costs: `kb run` beside the bare command, `script` and asciinema in a terminal, beside `tee` in a pipe.

    python bench/run.py [--rounds 5] [--quick]

All run in turn in the same rounds. In a terminal: one that is read as fast as it fills. Wall is what a person waits
for; CPU is that of the command and its recorder together, from the operating system's accounts. Peers that are missing
are left out. `kb shell` is measured by what its marks add to a command in bash.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from measure import environment

KB = Path(sys.executable).with_name("kb")
PRINTING = (
    "for n in range(100_000): print(f'{n}: some line of a log that a program prints, of about eighty characters')"
)


class Spent(NamedTuple):
    """Wall and CPU seconds of one run."""

    wall: float
    cpu: float


def in_terminal(command: Sequence[str], folder: Path) -> Spent:
    """Run `command` in a terminal that is read as fast as it fills."""
    begun = time.perf_counter()
    process, master = os.forkpty()
    if not process:
        os.chdir(folder)
        os.execvpe(command[0], list(command), _environment(folder))
    while True:
        try:
            if not os.read(master, 1 << 16):
                break
        except OSError:
            break
    _, status, usage = os.wait4(process, 0)
    os.close(master)
    if status:
        raise RuntimeError(f"{command} ended with {status}")
    return Spent(time.perf_counter() - begun, usage.ru_utime + usage.ru_stime)


def in_pipe(command: Sequence[str], folder: Path) -> Spent:
    """Run a shell line whose output is read by `cat`."""
    begun = time.perf_counter()
    line = f"{' '.join(command)} | cat >/dev/null"
    process = subprocess.Popen(["bash", "-c", line], cwd=folder, env=_environment(folder))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise RuntimeError(f"{command} ended with {status}")
    return Spent(time.perf_counter() - begun, usage.ru_utime + usage.ru_stime)


def _environment(folder: Path) -> Mapping[str, str]:
    return {**environment(), "XDG_STATE_HOME": str(folder / "state"), "TERM": "xterm", "SHELL": "/bin/bash"}


def wrapped(line: str) -> dict[str, list[str]]:
    """A shell line, bare and under each recorder that is there."""
    found = {"bare": ["sh", "-c", line], "kb run": [str(KB), "run", "-q", "--", "sh", "-c", line]}
    if shutil.which("script"):
        found["script -f"] = ["script", "-f", "-q", "-e", "-c", line, "typescript"]
    asciinema = Path(sys.executable).with_name("asciinema")
    if asciinema.exists():
        found["asciinema"] = [str(asciinema), "rec", "-q", "--overwrite", "-c", line, "cast"]
    return found


def compare(
    title: str,
    commands: Mapping[str, Sequence[str]],
    run: Callable[[Sequence[str], Path], Spent],
    rounds: int,
    size: int,
) -> None:
    """Print the median of each command over the rounds, and its ratio to the first one."""
    spent: dict[str, list[Spent]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(rounds + 1):
            for command, words in commands.items():
                one = run(words, folder)
                if number:  # the first round fills the caches
                    spent[command].append(one)
    print(f"\n#### {title}\n\n| recorder | wall | ratio | CPU | MB/s |\n| --- | --- | --- | --- | --- |")
    first = next(iter(commands))
    for command, found in spent.items():
        wall, cpu = (statistics.median(values) for values in zip(*found, strict=True))
        ratio = statistics.median(mine.wall / bare.wall for mine, bare in zip(found, spent[first], strict=True))
        speed = f"{size / wall / 1e6:.0f}" if size else ""
        print(f"| {command} | {wall:.2f} s | {ratio:.2f} | {cpu:.2f} s | {speed} |", flush=True)


def shell_marks(rounds: int) -> None:
    """Print what a command in bash takes longer with kb's marks: bash with and without them, the same 200 lines."""
    marks = Path(__file__).resolve().parent.parent / "kb" / "capture" / "shell" / "kb.bash"
    typed = "\n".join(["true"] * 200) + "\nexit\n"
    walls: dict[str, list[float]] = {"bare": [], "marks": []}
    with tempfile.TemporaryDirectory() as name:
        plain = Path(name) / "plain.bash"
        plain.write_text("set -o history\n")
        for _ in range(rounds):
            for which, script in (("bare", plain), ("marks", marks)):
                begun = time.perf_counter()
                env = {**_environment(Path(name)), "HOME": name, "KB_NONCE": "0" * 32}
                subprocess.run(
                    ["bash", "--noediting", "--rcfile", str(script), "-i"], input=typed, text=True, env=env,
                    capture_output=True, check=True, start_new_session=True,
                )  # fmt: skip
                walls[which].append(time.perf_counter() - begun)
    each = [(marks - bare) / 200 * 1000 for bare, marks in zip(walls["bare"], walls["marks"], strict=True)]
    print(
        f"\n#### Marks of kb shell in bash\n\n{statistics.median(each):.2f} ms a command ({rounds} times 200 commands)."
    )


def main() -> int:
    """Print a table for each program."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a tenth of the bytes")
    options = parser.parse_args()
    size = 3_000_000 if options.quick else 30_000_000
    compare("true: what starting and ending cost", wrapped("true"), in_terminal, options.rounds, 0)
    printing = f'{sys.executable} -c "{PRINTING}"'
    compare("A Python program that prints 100,000 lines", wrapped(printing), in_terminal, options.rounds, 0)
    blast = f"yes | head -c {size}"
    compare(f"yes, {size // 1_000_000} MB, in a terminal", wrapped(blast), in_terminal, options.rounds, size)
    large = 30 * size
    source = f"'yes | head -c {large}'"
    piped = {
        "tee": ["sh", "-c", source, "|", "tee", "log"],
        "kb run": [str(KB), "run", "-q", "--", "sh", "-c", source],
        "bare": ["sh", "-c", source],
    }
    compare(f"yes, {large // 1_000_000} MB, in a pipe", piped, in_pipe, options.rounds, large)
    shell_marks(options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
