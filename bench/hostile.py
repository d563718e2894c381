"""`kb triage --json` on logs made to harm: does twice the log cost twice the time, and how much memory?

    python bench/hostile.py [NAME …] [--megabytes 2] [--jobs 1]

The logs are entries of `hostile.toml`. Each is written at two sizes, the second twice the first, and read by the
command as a user runs it, without a knowledge base. Logs of more than 16 MB are read another way than smaller ones, so
ask for both: `--megabytes 2` and `--megabytes 20`. CPU time and memory are those of the child; the time that an empty
log takes is taken away. Exit status 1 when one grows faster than its log.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle
from pathlib import Path
from typing import Any, NamedTuple

from measure import Cost, cost

ROOT = Path(__file__).resolve().parent.parent
MEGABYTE = 1_000_000
#: Twice the log may cost so many times as much; below so many seconds, fixed costs blur the ratio.
BOUND, FEW = 2.6, 0.4
_DEEPEST = 400


class Told(NamedTuple):
    """One log at two sizes, each with what it cost."""

    name: str
    once: Cost
    twice: Cost


def written(how: dict[str, Any], size: int) -> str:
    """The log that an entry of the table describes, of about `size` characters."""
    if "unit" in how:
        before, after = how.get("before", ""), how.get("after", "")
        return before + how["unit"] * ((size - len(before) - len(after)) // len(how["unit"])) + after + "\n"
    if "nested" in how:
        opening, middle, closing = how["nested"]
        deep = (size - len(middle)) // len(opening + closing)
        return opening * deep + middle + closing * deep + "\n"
    return "\n".join([*how.get("head", ()), *gathered(lines(how, size), size), *how.get("tail", ())]) + "\n"


def lines(how: dict[str, Any], size: int) -> Iterator[str]:
    """The lines of an entry, without end."""
    if "columns" in how:
        processes = how.get("many") or max(2, size // sum(len(line) + 1 for line in how["columns"]))
        return (line.replace("#", str(n)) for line in cycle(how["columns"]) for n in range(processes))
    if "stairs" in how:
        return (" " * (n % _DEEPEST) + line.replace("@", str(n)) for n, line in enumerate(cycle(how["stairs"])))
    return (line.replace("@", str(number)) for number in count(1) for line in how["repeat"])


def gathered(endless: Iterator[str], size: int) -> Iterator[str]:
    """Lines up to `size` characters."""
    total = 0
    for line in endless:
        total += len(line) + 1
        if total > size:
            return
        yield line


def triaged(log: Path, allow: tuple[int, ...] = (1, 2)) -> Cost:
    """The cost of `kb triage --json` of a log; another exit status than those of `allow` raises."""
    code = f"import sys; sys.path[:0] = {[str(ROOT), *sys.path[1:]]!r}; from kb.cli.start import entry; entry()"
    return cost([sys.executable, "-c", code, "triage", "--json", log], log.parent, allow=allow)


def measured(name: str, how: dict[str, Any], size: int, empty: float) -> Told:
    """What the log and twice the log cost, without what an empty one costs."""
    costs = []
    with tempfile.TemporaryDirectory(prefix="kb-hostile-") as folder:
        for times in (1, 2):
            log = Path(folder, "log")
            log.write_text(written(how, size * times), "utf-8", newline="")
            costs.append(triaged(log))
    once, twice = (one._replace(cpu=max(one.cpu - empty, 0.001)) for one in costs)
    return Told(name, once, twice)


def nothing() -> float:
    """The CPU time of an empty log; raises if the command does not find a failure where there is one."""
    with tempfile.TemporaryDirectory(prefix="kb-hostile-") as folder:
        log = Path(folder, "log")
        log.write_text("ERROR: part 1 broke\n")
        triaged(log, allow=(1,))
        log.write_text("")
        return min(triaged(log, allow=(2,)).cpu for _ in range(3))


def main() -> int:
    """Print a row for each log."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--megabytes", type=float, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    told = parser.parse_args()
    table = tomllib.loads((Path(__file__).parent / "hostile.toml").read_text("utf-8"))["log"]
    table = {name: how for name, how in table.items() if not told.names or name in told.names}
    size, empty, bad = int(told.megabytes * MEGABYTE), nothing(), 0
    print(f"{'log':<25} {'s':>7} {'twice':>7} {'ratio':>6} {'MiB':>6} {'twice':>6}")
    with ThreadPoolExecutor(told.jobs) as pool:
        for one in pool.map(lambda item: measured(*item, size, empty), table.items()):
            ratio = one.twice.cpu / one.once.cpu
            worse = ratio > BOUND and one.twice.cpu > FEW
            bad += worse
            costs = f"{one.once.cpu:>7.2f} {one.twice.cpu:>7.2f} {ratio:>6.2f} {one.once.memory:>6.0f}"
            print(f"{one.name:<25} {costs} {one.twice.memory:>6.0f}{'  <--' if worse else ''}", flush=True)
    print(f"{len(table)} logs, {bad} cost more than {BOUND} times as much at twice the size")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
