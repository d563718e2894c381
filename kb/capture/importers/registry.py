"""The formats that can be imported, in the order in which they are tried: those that are told surely come first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from kb.capture.importers import (
    asciicast,
    claude,
    codex,
    junit,
    plain_log,
    reportlog,
    typescript,
)
from kb.capture.importers.source import Source
from kb.capture.importers.told import Story


class Format(NamedTuple):
    """A format: its name, what it is, whether a file is of it (by its path and first bytes), and its reader."""

    name: str
    what: str
    knows: Callable[[Path, bytes], bool]
    read: Callable[[Source], Story]


FORMATS = (
    Format("asciicast", "a terminal recorded by asciinema (v2 and v3)", asciicast.knows, asciicast.read),
    Format("typescript", "a terminal recorded by script, with its timing file", typescript.knows, typescript.read),
    Format("claude", "a session of Claude Code (JSONL)", claude.knows, claude.read),
    Format("codex", "a rollout of Codex CLI (JSONL)", codex.knows, codex.read),
    Format("junit", "a test report in JUnit XML", junit.knows, junit.read),
    Format("pytest", "a report log of pytest (pytest-reportlog)", reportlog.knows, reportlog.read),
    Format("log", "any other text: the lines that show its failures", plain_log.knows, plain_log.read),
)
