"""How the process of a command starts and ends."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn


def _open_what_is_closed() -> None:
    """Put nothing in the place of standard streams that were closed (`<&-`, some daemons), for kb but not its child."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # The lowest free number is taken, so it is the stream's own; it is not inherited.
            setattr(sys, name, open(os.open(os.devnull, os.O_RDWR), mode))  # noqa: SIM115 - to the end


def _run() -> int:
    """The exit status of the command that was called."""
    from kb.cli.main import run

    try:
        run()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1


def entry() -> NoReturn:
    """The installed command: `run`, started and ended without work that a process of one answer does not need."""
    # Start-up makes many objects that live to the end, click's first: looking for garbage among them is a tenth of it.
    gc.set_threshold(50_000, 20, 20)
    _open_what_is_closed()
    if sys.argv[1:] == ["status", "--short"]:
        from kb.cli.prompt import prompt

        status = prompt()
    else:
        status = _run()
    # Taking down modules one by one costs as much as reading a log; the operating system frees all at once.
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (BrokenPipeError, ValueError):
        status = status or 141
    os._exit(status)
