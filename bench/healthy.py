"""Healthy logs of many tools: what they say, at length, when all goes well.

    python bench/healthy.py [FOLDER] [--only NAME …] [--jobs 2] [--vllm FOLDER] [--loghub FOLDER]

The tools are in `healthy.toml`; one that is not installed is skipped and listed, and so is one whose run fails: what
it wrote is no healthy log. `--vllm` takes the logs of runs that ended with 0 (N.log or N.console beside an N.rc that
holds 0), `--loghub` the lines of level INFO of Loghub's samples (they are read where they lie and are never part of
this project). Nothing made here belongs into the repository.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
MEGABYTE = 1_000_000
INFO = re.compile(r"\bINFO\b")


class Tool(NamedTuple):
    """One entry of the table: the commands it needs, what to run, where to cut (MB), and for how long (seconds)."""

    name: str
    needs: tuple[str, ...]
    run: str
    cap: float
    seconds: int


def tools() -> tuple[str, list[Tool]]:
    """What every run begins with, and the tools."""
    table = tomllib.loads((HERE / "healthy.toml").read_text("utf-8"))
    return table["preamble"], [
        Tool(t["name"], tuple(t["needs"]), t["run"], t.get("cap", 2), t.get("seconds", 240)) for t in table["tool"]
    ]


def make(tool: Tool, preamble: str, out: Path) -> str:
    """Run `tool` in a folder of its own and keep what it said as OUT/NAME.log; "" or why there is no such log."""
    missing = [need for need in tool.needs if shutil.which(need) is None]
    if missing:
        return f"skipped: no {', '.join(missing)}"
    log = out / f"{tool.name}.part"
    temporary = tempfile.TemporaryDirectory(prefix="kb-healthy-", ignore_cleanup_errors=True)
    with temporary as work, log.open("wb") as sink:
        process = subprocess.Popen(
            ["bash", "-c", preamble + tool.run],
            cwd=work,
            env={**os.environ, "REPO": str(HERE.parent), "PY": sys.executable},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(tool.seconds)
        except subprocess.TimeoutExpired:
            code = -1
        end(process.pid)
    if code:
        log.rename(log.with_suffix(".failed"))
        return f"failed: exit {code}" if code > 0 else "failed: too slow"
    cut(log, int(tool.cap * MEGABYTE))
    log.replace(log.with_suffix(".log"))
    return ""


def end(session: int) -> None:
    """End what a run left behind: it has a process group of its own."""
    try:
        os.killpg(session, 9)
    except ProcessLookupError:
        return


def cut(log: Path, limit: int) -> None:
    """Cut `log` at its last line end before `limit` bytes."""
    if log.stat().st_size > limit:
        data = log.read_bytes()[:limit]
        log.write_bytes(data[: data.rfind(b"\n") + 1] or data)


def vllm(folder: Path, out: Path) -> None:
    """The logs of runs that ended with 0."""
    for code in sorted(folder.glob("*/*.rc")):
        log = code.with_suffix(".log") if code.with_suffix(".log").exists() else code.with_suffix(".console")
        if code.stem.isdigit() and code.read_text().strip() == "0" and log.exists():
            shutil.copy(log, out / f"run-{code.parent.name}-{code.stem}.log")


def loghub(folder: Path, out: Path) -> None:
    """The INFO lines of each sample."""
    for log in sorted(folder.glob("*/*.log")):
        lines = log.read_text("utf-8", "replace").splitlines(keepends=True)
        if calm := [line for line in lines if INFO.search(line)]:
            (out / f"loghub-{log.stem}.log").write_text("".join(calm), "utf-8")


def main() -> int:
    """Make the corpus and say what is in it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--vllm", type=Path)
    parser.add_argument("--loghub", type=Path)
    told = parser.parse_args()
    out = (told.folder or Path(tempfile.gettempdir()) / "kb-healthy").resolve()
    out.mkdir(parents=True, exist_ok=True)
    preamble, table = tools()
    wanted = [tool for tool in table if not told.only or tool.name in told.only]

    def one(tool: Tool) -> None:
        began = time.monotonic()
        why = make(tool, preamble, out)
        log = out / f"{tool.name}.log"
        size = log.stat().st_size / MEGABYTE if log.exists() else 0.0
        print(f"{tool.name:<22} {size:>6.2f} MB {time.monotonic() - began:>5.0f} s  {why}", flush=True)

    with ThreadPoolExecutor(told.jobs) as pool:
        list(pool.map(one, wanted))
    if told.vllm:
        vllm(told.vllm, out)
    if told.loghub:
        loghub(told.loghub, out)
    logs = sorted(out.glob("*.log"))
    print(f"{len(logs)} logs, {sum(log.stat().st_size for log in logs) / MEGABYTE:.1f} MB in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
