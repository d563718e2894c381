"""Real pseudo-terminals for the tests of recording: kb inside one, as a person runs it."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pexpect = pytest.importorskip("pexpect", reason="pexpect is not installed")

PATIENCE = 30.0
CHECKOUT = Path(__file__).resolve().parent.parent.parent


def environment(folder: Path) -> dict[str, str]:
    """The environment of a person whose home is `folder`."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("KB_", "PYTEST_", "XDG_", "PYTHON"))}
    kept.pop("COLUMNS", None)
    return {
        **kept,
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
        "PYTHONPATH": str(CHECKOUT),
        "TERM": "xterm-256color",
        "PS1": "$ ",
        "LC_ALL": "C.UTF-8",
    }


def kb(folder: Path, *arguments: str, size: tuple[int, int] = (24, 80), **more: Any) -> Any:
    """`kb` with these arguments in a terminal of `size` (lines, columns), in `folder`."""
    return pexpect.spawn(
        sys.executable,
        ["-m", "kb", *arguments],
        cwd=str(folder),
        env=environment(folder) | more.pop("env", {}),
        dimensions=size,
        timeout=PATIENCE,
        encoding="utf-8",
        codec_errors="replace",
        **more,
    )


def finish(child: Any) -> tuple[int | None, int | None]:
    """Wait for the end of `child`: its exit status, or the signal that ended it."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.signalstatus


def runs(folder: Path) -> list[dict[str, Any]]:
    """What the ring knows of the runs below `folder`, the oldest first, with their logs as `log`."""
    from kb.capture.run.spool import read_spool

    paths = sorted(folder.rglob("run.json"), key=lambda path: path.parent.name)
    return [{**json.loads(p.read_text()), "folder": p.parent, "log": read_spool(p.parent).text} for p in paths]


def eventually(what: Callable[[], Any]) -> Any:
    """The first true answer of `what`, which is asked again for a while."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.02)
    raise AssertionError("it never came true")


def need(program: str) -> str:
    """The path of `program`; skips the test when it is missing."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def stored(folder: Path) -> Iterator[bytes]:
    """The content of every file below `folder`."""
    return (path.read_bytes() for path in folder.rglob("*") if path.is_file())
