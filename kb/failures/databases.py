"""Databases of Hyperscan, kept in the user's cache: making one takes up to seconds, loading it a millisecond.

A database depends on the processor, so the name of its file tells processors apart, and what is in it; Hyperscan itself
refuses one that another of its versions made. A cache that cannot be used costs time, nothing else.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import hyperscan

from kb.atomic import write_bytes


def database(
    name: str, expressions: Sequence[tuple[int, bytes]], *, flags: int = 0, literal: bool
) -> hyperscan.Database:
    """The database of these expressions (number, text) for whole blocks; `name` is what its file is called by."""
    path = _cached(name, expressions, flags, literal)
    with suppress(OSError, hyperscan.error):
        found = hyperscan.loadb(path.read_bytes(), mode=hyperscan.HS_MODE_BLOCK)
        found.scratch = hyperscan.Scratch(found)
        return found
    made = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    made.compile(
        expressions=[text for _, text in expressions],
        ids=[number for number, _ in expressions],
        elements=len(expressions),
        flags=[flags] * len(expressions),
        literal=literal,
    )
    with suppress(OSError):
        write_bytes(path, hyperscan.dumpb(made))
    return made


def _cached(name: str, expressions: Sequence[tuple[int, bytes]], flags: int, literal: bool) -> Path:
    parts = [
        platform.machine(),
        _processor(),
        f"{flags} {literal}",
        *(f"{number} {text!r}" for number, text in expressions),
    ]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(folder) / "kb" / f"{name}-{digest}.hs"


def _processor() -> str:
    """What the processor can do, where the system tells: a database made for more would not run."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return platform.processor()
