"""What the fast commands must not load: each of these libraries costs more than the whole answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"pydantic", "yaml", "numpy", "mkdocs", "rich", "markdown_it", "jinja2", "importlib.metadata", "asyncio"}
HEAVY |= {"hyperscan", "hashlib", "email", "tempfile", "subprocess", "tomllib"}
#: How many expressions `kb triage` compiles of such a log; of those at hand, it is one in ten.
EXPRESSIONS = 70
#: And how many names of types it must evaluate: the fields of a named tuple in a module with postponed annotations.
POSTPONED = 5

LOG = """\
Traceback (most recent call last):
  File "app.py", line 3, in <module>
    start()
  File "app.py", line 2, in start
    raise RuntimeError("no route to the price service")
RuntimeError: no route to the price service
"""

RECORD = f"""\
---
kb: 1
id: 2026-03-01-no-route
title: The price service cannot be reached
started: 2026-03-01T09:00:00Z
---

## Attempt 1: start

```console {{exit=1}}
$ python3 app.py
{LOG.rstrip()}
```
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base with an index, and a log beside it."""
    folder = tmp_path_factory.mktemp("base")
    (folder / "kb.toml").write_text("")
    (folder / "sessions").mkdir()
    record = folder / "sessions" / "2026-03-01-no-route.md"
    record.write_text(RECORD)
    os.utime(record, (1_700_000_000, 1_700_000_000))  # what changed just now is looked into
    (folder / "app.log").write_text(LOG)
    subprocess.run([sys.executable, "-m", "kb", "index"], cwd=folder, check=True, capture_output=True)
    return folder


def loaded(folder: Path, *arguments: str) -> set[str]:
    """The names of all modules loaded when `kb` with these arguments has ended."""
    code = (
        "import json, sys\n"
        "from kb.cli.main import run\n"
        "try:\n"
        "    run(sys.argv[1:])\n"
        "except SystemExit:\n"
        "    print(json.dumps(sorted(sys.modules)), file=sys.stderr)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    assert ran.stdout, ran.stderr
    return set(json.loads(ran.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("triage", "--help"), ("triage", "app.log"), ("triage", "--json", "app.log"), ("search", "price")],
    ids=" ".join,
)
def test_the_fast_commands_load_no_heavy_library(base: Path, arguments: tuple[str, ...]) -> None:
    assert loaded(base, *arguments) & HEAVY == set()


def test_a_log_without_anything_private_costs_no_redaction(base: Path) -> None:
    for arguments in (("triage", "app.log"), ("triage", "--json", "app.log")):
        modules = loaded(base, *arguments)
        assert modules & {"re2", "kb.private.prefilter", "kb.private.spans", "kb.capture.redaction.redactor"} == set()


def counted(folder: Path, *arguments: str) -> dict[str, list[str]]:
    """The expressions that `kb` with these arguments compiles for itself, and the annotations it has to evaluate."""
    code = (
        "import json, sys, re, typing, click, pathlib, sqlite3, json.scanner, dataclasses\n"
        "seen = {'expressions': [], 'postponed': []}\n"
        "def watched(kind, function, at):\n"
        "    def call(*arguments, **named):\n"
        "        seen[kind].append(str(arguments[at])[:100])\n"
        "        return function(*arguments, **named)\n"
        "    return call\n"
        "re._compiler.compile = watched('expressions', re._compiler.compile, 0)\n"
        "typing.ForwardRef.__init__ = watched('postponed', typing.ForwardRef.__init__, 1)\n"
        "from kb.cli.main import run\n"
        "try:\n"
        "    run(sys.argv[1:])\n"
        "except SystemExit:\n"
        "    print(json.dumps(seen), file=sys.stderr)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    found: dict[str, list[str]] = json.loads(ran.stderr.splitlines()[-1])
    return found


@pytest.mark.parametrize("arguments", [("triage", "app.log"), ("search", "price")], ids=" ".join)
def test_few_expressions_are_compiled_and_few_annotations_evaluated(base: Path, arguments: tuple[str, ...]) -> None:
    seen = counted(base, *arguments)
    assert 0 < len(seen["expressions"]) <= EXPRESSIONS, seen["expressions"]
    assert len(seen["postponed"]) <= POSTPONED, " ".join(seen["postponed"])


def test_help_loads_no_command_and_no_stage(base: Path) -> None:
    modules = loaded(base, "--help")
    assert {name for name in modules if name.startswith("kb.")} == {
        "kb.cli",
        "kb.cli.main",
        "kb.cli.terminal",
        "kb.errors",
        "kb.expressions",
    }


def test_the_public_names_load_nothing_until_they_are_used() -> None:
    code = "import sys, kb.api; print(*[m for m in sys.modules if m.startswith('kb.')])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["kb.api"]


def test_a_prompt_pays_for_no_record(base: Path) -> None:
    subprocess.run([sys.executable, "-m", "kb", "start", "x"], cwd=base, check=True, capture_output=True)
    modules = loaded(base, "status", "--short")
    assert modules & {*HEAVY, "re2", "hyperscan", "sqlite3", "tempfile", "subprocess"} == set()
