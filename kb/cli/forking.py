"""Going on in a second process: the one place that ends a process which was forked."""

from __future__ import annotations

import os
from collections.abc import Callable


def fork(work: Callable[[], None]) -> int:
    """Run `work` in a new process that ends with it, status 70 when it raised; gives the id of that process."""
    process = os.fork()
    if process:
        return process
    status = 70
    try:
        work()
        status = 0
    finally:
        if status:
            import traceback

            traceback.print_exc()
        os._exit(status)
