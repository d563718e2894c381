"""`kb run`: a command as it always runs, and kept."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
from typing import TYPE_CHECKING

import click

from kb.cli.recording import Recording, recording_home
from kb.cli.terminal import note

if TYPE_CHECKING:
    from kb.capture.run.watch import Ended

#: What a shell answers when a command is missing, or may not be run.
_MISSING, _NOT_RUN = 127, 126


@click.command(
    short_help="Run a command as ever, and record it.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("command_", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND...")
@click.option("--session", "named", metavar="ID", help="The session it belongs to (default: the one open here).")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing when the command has failed.")
@click.pass_context
def command(ctx: click.Context, command_: tuple[str, ...], named: str | None, quiet: bool) -> None:
    """Run a command as ever, and record it.

    The command behaves as it does without kb: colours, keys, the size of the window, its exit status and the signal
    that ended it. What it prints is recorded without secrets, in the session that is open here; outside any session it
    is remembered for a while (`kb promote` makes a session of it).

    When the command fails, three lines on standard error say what the root failure is, whether it is known, and what
    fixes it.

    \b
    Examples:
      kb run -- pytest -x tests/test_server.py
      kb run make
      kb run 'dmesg | grep -i nvrm'

    One argument that names no program is a line for the shell. Ctrl-Z suspends it, `fg` goes on. Exit status: that
    of the command; 127 when there is none of that name, 126 when it cannot be run.
    """
    home = recording_home(ctx)
    argv, text = _command(command_)
    recording = Recording(home, text, named or "")
    try:
        ended = recording.record(argv)
    except FileNotFoundError as error:
        if error.filename not in (argv[0], None):
            raise
        note(f"{argv[0]}: command not found")
        sys.exit(_MISSING)
    except PermissionError as error:
        note(f"{argv[0]}: cannot be run: {error.strerror}")
        sys.exit(_NOT_RUN)
    if ended.lost:
        note(f"the output is not recorded whole: {ended.lost}")
    appended = recording.file()
    if recording.run is not None and not quiet:
        from kb.cli.run_text import after_lines

        for line in after_lines(home, recording.run, appended):
            click.echo(line, err=True)
    _leave(ended)


def _command(words: tuple[str, ...]) -> tuple[list[str], str]:
    """What to run, and how it is written down."""
    if len(words) == 1 and shutil.which(words[0]) is None and (set(words[0]) & set(" \t|&;<>()$`*?#~=\n")):
        return ["/bin/sh", "-c", words[0]], words[0]
    return list(words), " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """`word` as a shell reads it, on one line."""
    if "\n" not in word:
        return shlex.quote(word)
    for raw, escaped in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        word = word.replace(raw, escaped)
    return f"$'{word}'"


def _leave(ended: Ended) -> None:
    """End as the command ended."""
    if ended.signal is None:
        sys.exit(ended.exit)
    if ended.signal == signal.SIGKILL:
        sys.exit(128 + ended.signal)
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the command has left its core, kb's would be worth nothing
    sys.stdout.flush()
    signal.signal(ended.signal, signal.SIG_DFL)
    os.kill(os.getpid(), ended.signal)
    sys.exit(128 + ended.signal)
