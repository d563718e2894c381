"""Python's search for objects that refer to each other in a circle, while much is made that does not."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting_at(*thresholds: int) -> Iterator[None]:
    """Within it, the search begins at these `thresholds` (as `gc.set_threshold` takes them; a first 0 is never).

    What is made goes with its last user as ever. Where nearly all of it stays, each search would look through it for
    nothing.
    """
    before = gc.get_threshold()
    gc.set_threshold(*thresholds)
    try:
        yield
    finally:
        gc.set_threshold(*before)
