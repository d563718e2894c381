"""Knowledge bases written to a folder, for the tests of the index."""

from __future__ import annotations

from pathlib import Path

from kb.home import Home, read_home

RECORD = """\
---
kb: 1
id: {name}
title: {title}
started: 2026-01-{day:02}T10:00:00Z
ended: 2026-01-{day:02}T12:00:00Z
resolution: fixed
components: {{vllm: 0.15.{day}}}
tags: [server]
---

The server was to start.

## Attempt 1: start

```console {{exit=1 duration=30s}}
$ {command}
Traceback (most recent call last):
  File "/srv/app/{file}", line {line}, in {function}
    read()
{error}
```

### Fix: {fix} {{kind=patch{applies}}}

{prose}

## Attempt 2: start again

```console {{exit=0}}
$ {command}
ready
```
"""


def base(folder: Path) -> Home:
    """An empty knowledge base in `folder`."""
    (folder / "sessions").mkdir(parents=True, exist_ok=True)
    (folder / "kb.toml").write_text("")
    return read_home(folder)


def record(
    home: Home,
    name: str,
    error: str = "IndexError: list index out of range",
    *,
    day: int = 1,
    fix: str = "pad-the-list",
    applies: str = "",
    title: str = "The server does not start",
    command: str = "python serve.py",
    file: str = "serve.py",
    function: str = "load",
    line: int = 12,
    prose: str = "Pad the list.",
) -> Path:
    """A session in which a fix removes `error`."""
    path = home.sessions / f"{name}.md"
    shown = f' applies="{applies}"' if applies else ""
    text = RECORD.format(
        name=name,
        error=error,
        day=day,
        fix=fix,
        applies=shown,
        title=title,
        command=command,
        file=file,
        function=function,
        line=line,
        prose=prose,
    )
    path.write_text(text, "utf-8")
    return path
