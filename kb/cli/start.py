"""How the process of a command starts and ends."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn


def entry() -> NoReturn:
    """The installed command: `run`, started and ended without work that a process of one answer does not need."""
    # Start-up makes many objects that live to the end, click's first: looking for garbage among them is a tenth of it.
    gc.set_threshold(50_000, 20, 20)
    from kb.cli.main import run

    try:
        run()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    # Taking down modules one by one costs as much as reading a log; the operating system frees all at once.
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (BrokenPipeError, ValueError):
        status = status or 141
    os._exit(status)
