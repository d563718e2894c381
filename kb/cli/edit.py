"""`kb edit`: the record of the session in an editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click

from kb.capture.current import Current, need_current
from kb.cli.session import is_asked
from kb.cli.terminal import note, one_line, say, visible
from kb.cli.where import chosen_home
from kb.errors import InputError, UsageError


@click.command(short_help="Edit the record of the session in $EDITOR.")
@click.argument("name", metavar="[ID]", default="")
@click.pass_context
def command(ctx: click.Context, name: str) -> None:
    """Edit the record of the session in $EDITOR.

    What kb records meanwhile is added after the editor is closed. Problems are named with their line, and can be mended
    at once. With ID, that session's record.

    \b
    Examples:
      kb edit
      EDITOR=nano kb edit 2026-03-01-tests-hang-on-ci

    Exit status: 0 in order; 64 no session is open, or no editor is set; 65 the record has problems now; 66 the editor
    ended with an error (what was written is kept).
    """
    from kb.capture.editing import Copy

    current = need_current(chosen_home(ctx), named=name)
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("vi" if sys.stdin.isatty() else "")
    if not editor:
        raise UsageError("no editor is set", hint=f"set EDITOR, or edit {current.record} itself")
    while True:
        copy = Copy(current)
        if copy.going_on:
            note("an earlier edit was cut short: going on with what it left")
        if copy.aside is not None:
            note(f"an earlier edit was cut short, and the record changed since: what it left is in {copy.aside}")
        problems = copy.edit(lambda path: _open(editor, path))
        for problem in problems:
            note(one_line(str(problem)))
        if not problems:
            say(f"{visible(_shown(current))}: no problem")
            return
        if not is_asked() or not click.confirm("Edit it again?", default=True, err=True):
            ctx.exit(65)


def _open(editor: str, path: Path) -> None:
    try:
        status = subprocess.run([*shlex.split(editor), str(path)], check=False).returncode
    except (OSError, ValueError) as error:
        raise InputError(f"the editor {editor!r} cannot be run: {error}") from error
    if status:
        raise InputError(
            f"the editor ended with status {status}", hint=f"what you wrote is in {path}; `kb edit` goes on"
        )


def _shown(current: Current) -> str:
    return os.path.relpath(current.record)
