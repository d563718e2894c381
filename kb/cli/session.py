"""What the commands share that work on the session one is in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from kb.capture.current import Current, need_current
from kb.cli.terminal import note, one_line, say
from kb.cli.where import chosen_home
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.capture.entry import Entry
    from kb.capture.writing import Appended
    from kb.record.model import Step

Decorated = TypeVar("Decorated", bound=Callable[..., object])


def session_option(function: Decorated) -> Decorated:
    """The option `--session ID` of a command, as its parameter `named`."""
    words = "The session it belongs to (default: the one open here)."
    return click.option("--session", "named", metavar="ID", default="", help=words)(function)


def session_of(ctx: click.Context, named: str) -> Current:
    """The session that a command works on. Raises UsageError when none is open, or several are and none is named.

    What was run before and is not in its record yet is put there first.
    """
    from kb.cli.recording import recover_all

    home = chosen_home(ctx)
    current = need_current(home, named=named)
    recover_all(home)
    return current


def add(current: Current, entry: Entry, what: str) -> Appended:
    """Add `entry` to the record, and say where it went: `what` is what it is, in a word or two."""
    from kb.capture.writing import append

    done = append(current, entry)
    if done.waits:
        note(f"the {what} is kept, and goes into the record later: {done.waits}")
    else:
        say(f"{what} in attempt {done.attempt} of {one_line(current.id)}")
    return done


def add_step(current: Current, step: Step, what: str) -> Appended:
    """`add` for one step."""
    from kb.capture.entry import Entry

    return add(current, Entry(steps=(step,)), what)


def is_asked() -> bool:
    """Whether somebody can be asked: standard input and standard error are terminals."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def text_given(words: tuple[str, ...], what: str, command: str) -> str:
    """The text of a step: the words typed, else standard input, else what is written in an editor.

    Raises UsageError when there is none.
    """
    text = " ".join(words).strip()
    if not text or text == "-":
        if is_asked() and text != "-":
            text = click.edit(f"\n# The {what}. Lines that begin with # are left out.\n") or ""
            text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        else:
            text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        raise UsageError(f"the {what} is empty", hint=f"type it behind the command: kb {command} …")
    return text
