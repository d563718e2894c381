"""The programs that load what exporters write, and what all their tests share."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rule_corpus import Case, corpus

from kb.rules.exporters.registry import exporter
from kb.rules.model import TriageRule

CASES = corpus()
RULES: tuple[TriageRule, ...] = tuple(sorted((case.rule for case in CASES), key=lambda rule: rule.id))
TOOLS = Path(__file__).resolve().parents[2] / ".tools"
NODE = TOOLS / "node_modules"


def program(name: str) -> str:
    """The path of `name`; skips when it is missing."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def node_program(name: str) -> str:
    """The path of a program from npm; skips when `make tools` was not run."""
    path = NODE / ".bin" / name
    if not path.exists():
        pytest.skip(f"{name} is not installed (make tools)")
    return str(path)


def node_module(name: str) -> Path:
    """The folder of a module from npm; skips when `make tools` was not run."""
    if not (NODE / name).is_dir():
        pytest.skip(f"{name} is not installed (make tools)")
    return NODE / name


def write(target: str, folder: Path, rules: Sequence[TriageRule] = RULES) -> Path:
    """The files of `target` for `rules`, in `folder`."""
    for file in exporter(target).export(rules, "tests"):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, "utf-8")
    return folder


def ran(*command: object, **more: object) -> subprocess.CompletedProcess[str]:
    """`command`, run to its end whatever its status; output as text."""
    return subprocess.run([str(one) for one in command], capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload]


def broken(case: Case = CASES[0]) -> TriageRule:
    """A rule that no engine can take: its group is never closed."""
    return replace(case.rule, pattern=case.rule.pattern + "(?:", pieces=(*case.rule.pieces, CASES[0].rule.pieces[0]))


def logs(folder: Path) -> tuple[Path, Path]:
    """A log of all hits, a line for each case in their order, and one of all near misses."""
    hits, misses = folder / "hits.log", folder / "misses.log"
    hits.write_text("".join(f"{case.hit}\n" for case in CASES), "utf-8")
    misses.write_text("".join(f"{case.miss}\n" for case in CASES), "utf-8")
    return hits, misses
