"""`kb init`: make a knowledge base in a folder."""

from __future__ import annotations

from pathlib import Path

import click

from kb.atomic import write_text
from kb.cli.terminal import say, visible, wrap
from kb.errors import UsageError
from kb.home import CONFIG

_IGNORED = (".kb/", "public/")
_ATTRIBUTES = (
    "sessions/*.md text eol=lf",
    "decisions/*.yaml text eol=lf",
    "decisions/former-ids-*.txt text eol=lf merge=union",
)

_README = """\
# Sessions

One Markdown file per debugging session: what was run, what was seen, what was changed, and what came of it.
kb reads them; people do too. A session looks like this:

~~~markdown
---
kb: 1
id: 2026-01-31-short-name
title: What was broken, in one line
started: 2026-01-31T09:00:00Z
ended: 2026-01-31T10:30:00Z
resolution: fixed
---

What was wanted, and what was seen instead.

## Attempt 1: run it

```console {exit=1}
$ python3 app.py
Traceback (most recent call last):
  File "app.py", line 3, in <module>
    import yaml
ModuleNotFoundError: No module named 'yaml'
```

### Fix: install-pyyaml {kind=command}

```sh
python3 -m pip install pyyaml
```

## Attempt 2: run it again

```console {exit=0}
$ python3 app.py
ready
```
~~~

`kb check` names every problem of a record with its line.
"""


@click.command(short_help="Make a knowledge base in a folder.")
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(file_okay=False, path_type=Path))
def command(folder: Path) -> None:
    """Make a knowledge base in a folder.

    DIR is made when it is missing; without DIR, the knowledge base is made here. Writes kb.toml, sessions/ with a
    README that shows a record, and the lines that Git needs. Files that are there stay as they are; missing lines are
    added to .gitignore and .gitattributes. A folder that already has a kb.toml is refused.

    \b
    Examples:
      kb init
      kb init ~/work/runbook

    Exit status: 0 made; 64 the folder is a knowledge base already, or no folder.
    """
    if any(parent.is_file() for parent in (folder, *folder.parents)):
        raise UsageError(f"{folder} cannot be made: a part of it is a file", hint="name a folder, or one to be made")
    if (folder / CONFIG).exists():
        raise UsageError(f"{folder / CONFIG} exists: this is a knowledge base already")
    made = [CONFIG]
    readme = folder / "sessions" / "README.md"
    if not readme.exists():
        write_text(readme, _README)
        made.append("sessions/README.md")
    for name, lines in ((".gitignore", _IGNORED), (".gitattributes", _ATTRIBUTES)):
        if _add_lines(folder / name, lines):
            made.append(name)
    # Last, so that a folder with kb.toml is always complete.
    write_text(folder / CONFIG, f"# The name stands at the top of the runbook site.\nname = {_toml(folder)}\n")
    place = "here" if folder == Path() else f"in {visible(str(folder))}"
    say("\n".join(wrap(f"Made a knowledge base {place}: {', '.join(made)}", indent="  ", first="")))
    where = "" if folder == Path() else f" {visible(str(folder))}/"
    say(f"""
Next:
  1. kb start TITLE   something is broken: what you do is recorded
                      (by hand:{where or " "}sessions/README.md shows how)
  2. kb check         is it well-formed?
  3. kb index         derive signatures, fixes and their proof
  4. kb triage LOG    a new log: root cause, known fix, or "new"
  5. kb site serve    the runbook in a browser""")


def _add_lines(path: Path, lines: tuple[str, ...]) -> bool:
    """Add those of `lines` that `path` lacks; whether any were."""
    text = path.read_text("utf-8", errors="surrogateescape") if path.exists() else ""
    missing = [line for line in lines if line not in text.splitlines()]
    if missing:
        start = text if not text or text.endswith("\n") else text + "\n"
        with_lines = start + "\n".join(missing) + "\n"
        from kb.atomic import write_bytes

        write_bytes(path, with_lines.encode("utf-8", errors="surrogateescape"))
    return bool(missing)


def _toml(folder: Path) -> str:
    """The folder's name as a TOML string; JSON's escapes are TOML's too."""
    from kb.cli.output import json_text

    return json_text(f"{folder.resolve().name or 'kb'} runbook")
