"""Make knowledge bases of any size: sessions of realistic shapes, the same ones for the same number.

python bench/generate.py FOLDER --sessions 1000
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

_NOUNS = (
    "tensor", "index", "token", "batch", "cache", "config", "engine", "worker", "kernel", "shard", "queue",
    "schema", "request", "session", "handle", "weight", "layer", "buffer", "stream", "cursor", "socket",
    "packet", "record", "ledger", "account", "invoice", "tenant", "bucket", "object", "manifest", "replica",
    "leader",
)  # fmt: skip
_VERBS = (
    "load", "read", "write", "parse", "build", "merge", "split", "map", "bind", "fetch", "commit", "replay",
    "decode", "encode", "resolve", "allocate", "register", "validate",
)  # fmt: skip
_COMPONENTS = ("engine", "gateway", "ledger", "importer", "scheduler", "trainer", "indexer", "mailer")
_KINDS = ("patch", "config", "command", "upgrade", "downgrade", "environment", "restart")


class Failure(NamedTuple):
    """A failure that a program prints: its type, message, and the functions of its traceback."""

    type: str
    message: str
    functions: tuple[str, ...]
    module: str


def failure(number: int) -> Failure:
    """The failure of this number; every number gives another one."""
    noun, other = _NOUNS[number % len(_NOUNS)], _NOUNS[(number // len(_NOUNS) + 7 * number) % len(_NOUNS)]
    verb = _VERBS[(number // 7) % len(_VERBS)]
    # The number in letters: digits would be masked, and two failures become one.
    name = f"{noun}_{other}_{''.join(chr(97 + int(digit)) for digit in str(number))}"
    shapes = (
        ("AttributeError", f"'{noun.title()}Config' object has no attribute '{name}'"),
        ("KeyError", f"'{name}'"),
        ("ModuleNotFoundError", f"No module named '{name}'"),
        ("ImportError", f"cannot import name '{name}' from '{other}'"),
        ("RuntimeError", f"cannot {verb} {name}: expected {other} of size {number * 37 % 4096}, got {number % 512}"),
        ("ValueError", f"unknown {noun} '{name}' for {other}"),
        ("TypeError", f"{verb}_{noun}() got an unexpected keyword argument '{name}'"),
        ("ConnectionRefusedError", f"[Errno 111] Connection refused: {name}.internal:{5000 + number % 999}"),
    )
    type_, message = shapes[number % len(shapes)]
    return Failure(type_, message, ("main", f"{verb}_{noun}", f"{verb}_{other}"), f"{noun}s")


def traceback(found: Failure, random_: random.Random) -> str:
    """What the program prints when it fails so: line numbers and folders differ from run to run."""
    folder = f"/srv/{random_.choice(_COMPONENTS)}/{random_.randrange(100, 999)}"
    lines = ["Traceback (most recent call last):"]
    for function in found.functions:
        lines.append(f'  File "{folder}/{found.module}.py", line {random_.randrange(1, 900)}, in {function}')
        lines.append(f"    return self.{function}(value)")
    return "\n".join([*lines, f"{found.type}: {found.message}"])


def sessions(count: int, signatures: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """`count` session records as (id, text), in which `signatures` different failures occur."""
    random_ = random.Random(seed)
    begin = datetime(2024, 1, 1, 8, tzinfo=UTC)
    for number in range(count):
        yield _session(number, number % signatures, signatures, begin + timedelta(hours=9 * number), random_)


def _session(number: int, first: int, signatures: int, started: datetime, random_: random.Random) -> tuple[str, str]:
    component = random_.choice(_COMPONENTS)
    id_ = f"{started:%Y-%m-%d}-{component}-{number:05d}"
    found = failure(first)
    command = f"python3 -m {component} --config prod.toml"
    attempts: list[str] = []
    tries = random_.choice((1, 1, 2, 2, 3))
    for _ in range(tries):
        attempts.append(_failing(found, command, random_))
        # One in four attempts helps only so far: the next failure is another one.
        if random_.random() < 0.25:
            first = (first * 31 + 17) % signatures
            found = failure(first)
    attempts.append(f"```console {{exit=0 duration={random_.randrange(2, 90)}s}}\n$ {command}\nready\n```\n")
    body = "\n".join(f"## Attempt {place}: start the {component}\n\n{text}" for place, text in enumerate(attempts, 1))
    text = f"""\
---
kb: 1
id: {id_}
title: The {component} stops with {found.type} while it works on {found.module}
started: {started:%Y-%m-%dT%H:%M:%SZ}
ended: {started + timedelta(minutes=random_.randrange(5, 400)):%Y-%m-%dT%H:%M:%SZ}
resolution: fixed
components: {{{component}: 1.{random_.randrange(9)}.{random_.randrange(20)}, python: 3.12.{random_.randrange(9)}}}
tags: [{found.module}]
---

The {component} was updated in the night and did not come up again; {found.module} were not touched.

{body}
## Resolution

It runs again since {started:%Y-%m-%d}.
"""
    return id_, text


def _failing(found: Failure, command: str, random_: random.Random) -> str:
    noise = "\n".join(
        f"2024-05-0{random_.randrange(1, 9)} 08:{random_.randrange(10, 59)}:01 INFO {random_.choice(_NOUNS)} ready"
        for _ in range(random_.randrange(3, 30))
    )
    verb, noun = random_.choice(_VERBS), random_.choice(_NOUNS)
    return f"""\
```console {{exit=1 duration={random_.randrange(2, 90)}s}}
$ {command}
{noise}
{traceback(found, random_)}
```

### Diagnosis

The {noun} is read before the {found.module} are there.

### Fix: {verb}-{noun}-first {{kind={random_.choice(_KINDS)} target={noun}.py}}

Do {verb} the {noun} before anything asks for it.

```diff
-    self.{verb}(value)
+    self.{verb}(value or self.{noun})
```
"""


def log(size: int, number: int, seed: int = 2) -> str:
    """A log of about `size` bytes, in the middle of which the failure of this number occurs."""
    random_ = random.Random(seed)
    lines: list[str] = []
    length = 0
    while length < size:
        time = f"2025-03-01 09:{random_.randrange(10, 59)}:{random_.randrange(10, 59)},{random_.randrange(100, 999)}"
        message = f"{random_.choice(_VERBS)} {random_.choice(_NOUNS)} {random_.randrange(10**6)} took"
        line = f"{time} INFO [{random_.choice(_NOUNS)}] {message} {random_.randrange(900)} ms"
        lines.append(line)
        length += len(line) + 1
    lines.insert(len(lines) // 2, traceback(failure(number), random_))
    return "\n".join(lines) + "\n"


def make(folder: Path, count: int, signatures: int) -> None:
    """A knowledge base with `count` sessions in `folder`."""
    (folder / "sessions").mkdir(parents=True, exist_ok=True)
    (folder / "kb.toml").write_text('name = "bench"\n')
    for id_, text in sessions(count, signatures):
        (folder / "sessions" / f"{id_}.md").write_text(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make a knowledge base of generated sessions.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--signatures", type=int, default=None, help="default: as many as sessions")
    options = parser.parse_args()
    make(options.folder, options.sessions, options.signatures or options.sessions)
