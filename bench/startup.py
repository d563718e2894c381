"""How long the fast commands take, as a multiple of starting Python: medians of 11 interleaved runs.

    python bench/startup.py

The peer is `python -c pass` in the same run, so the ratio says something on any machine.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from generate import log, make
from measure import cost, medians

KB = Path(sys.executable).with_name("kb")
GOALS = {"kb --help": 6.0, "kb triage, 50 KB, 1,000 signatures": 9.0}


def main() -> int:
    """Print one line a command; exit status 1 when a goal is missed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, 1000, 1000)
        cost([KB, "index"], folder)
        (folder / "app.log").write_text(log(50_000, 123))
        measured = medians(
            {
                "python -c pass": ([sys.executable, "-c", "pass"], folder, (0,)),
                "kb --help": ([KB, "--help"], folder, (0,)),
                "kb triage, 50 KB, 1,000 signatures": ([KB, "triage", "app.log"], folder, (0,)),
                "kb search": ([KB, "search", "tensor"], folder, (0,)),
            }
        )
    bare = measured["python -c pass"]
    print(f"{'command':<36} {'CPU':>8} {'ratio':>7} {'goal':>7} {'wall':>9} {'memory':>10}")
    missed = False
    for command, spent in measured.items():
        ratio, goal = spent.cpu / bare.cpu, GOALS.get(command)
        missed |= goal is not None and ratio > goal
        limit = f"{goal:.0f}x" if goal else ""
        print(
            f"{command:<36} {spent.cpu * 1000:>5.0f} ms {ratio:>6.1f}x {limit:>7} {spent.wall * 1000:>6.0f} ms "
            f"{spent.memory:>6.0f} MiB"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
