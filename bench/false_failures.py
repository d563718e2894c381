"""Failures that kb sees in healthy logs: how many per megabyte, and where.

    python bench/false_failures.py [FOLDER] [--show 5]

FOLDER is what `bench/healthy.py` made. Every failure with the role `root` is a false one; the goal is at most one per
10 MB. Logs are read in pieces of at most 5 MB. Exit status 1 when the goal is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path

from kb.failures.find import find_failures

MEGABYTE = 1_000_000
PIECE = 5 * MEGABYTE
GOAL = 0.1


def pieces(data: bytes) -> Iterator[tuple[int, bytes]]:
    """`data` in pieces that end with a line, each with the number of lines before it."""
    at, before = 0, 0
    while at < len(data):
        end = data.rfind(b"\n", at, at + PIECE) + 1 if len(data) - at > PIECE else len(data)
        end = end or min(at + PIECE, len(data))
        yield before, data[at:end]
        before += data.count(b"\n", at, end)
        at = end


def count(log: Path) -> tuple[str, int, list[str], int]:
    """The log's name and size, its false failures as lines for people, and how many more are mere symptoms."""
    data = log.read_bytes()
    roots: list[str] = []
    others = 0
    for before, piece in pieces(data):
        for failure in find_failures(piece).failures:
            if failure.role != "root":
                others += 1
                continue
            named = f"{failure.reader}: {failure.type}" if failure.type else failure.reader
            roots.append(f"    {log.name}:{before + failure.line}: [{named}] {ascii(failure.text.strip()[:150])[1:-1]}")
    return log.stem, len(data), roots, others


def main() -> int:
    """Print the table of logs and the first lines of each that are taken for failures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(tempfile.gettempdir()) / "kb-healthy")
    parser.add_argument("--show", type=int, default=5)
    told = parser.parse_args()
    with Pool(2) as pool:
        counted = pool.map(count, sorted(told.folder.glob("*.log")), chunksize=1)
    if not counted:
        print(f"no logs in {told.folder}: make them with bench/healthy.py", file=sys.stderr)
        return 2
    print(f"{'log':<46} {'MB':>7} {'false':>6} {'symptoms':>9} {'per MB':>7}")
    for name, size, roots, others in counted:
        rate = len(roots) * MEGABYTE / max(size, 1)
        print(f"{name[:46]:<46} {size / MEGABYTE:>7.2f} {len(roots):>6} {others:>9} {rate:>7.2f}")
        print("".join(f"{line}\n" for line in roots[: told.show]), end="")
    size, false = sum(c[1] for c in counted), sum(len(c[2]) for c in counted)
    rate = false * MEGABYTE / size
    print(f"{len(counted)} logs, {size / MEGABYTE:.1f} MB, {false} false failures: {rate:.3f} per MB (goal {GOAL})")
    return 1 if rate > GOAL else 0


if __name__ == "__main__":
    sys.exit(main())
