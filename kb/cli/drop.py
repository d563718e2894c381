"""`kb drop`: a session that is not worth keeping."""

from __future__ import annotations

import os

import click

from kb.cli.session import is_asked, session_of, session_option
from kb.cli.terminal import one_line, say, visible
from kb.errors import UsageError


@click.command(short_help="Drop the session; it can be brought back.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@session_option
@click.pass_context
def command(ctx: click.Context, yes: bool, named: str) -> None:
    """Drop the session; it can be brought back.

    Its record and what lies beside it go to .kb/dropped/, where nothing reads them; `kb resume ID` brings them back.

    \b
    Examples:
      kb drop
      kb drop --yes

    Exit status: 0 dropped, or not, as answered; 64 no session is open, or nobody can be asked and --yes is missing.
    """
    from kb.capture.dropping import drop

    current = session_of(ctx, named)
    if not yes:
        if not is_asked():
            raise UsageError(f"dropping {current.id} was not confirmed", hint="kb drop --yes")
        if not click.confirm(f"Drop {one_line(current.id)}?", err=True):
            say("kept")
            return
    folder = drop(current)
    say(f"dropped {one_line(current.id)}; it lies in {visible(os.path.relpath(folder))}")
    say(f"  kb resume {one_line(current.id)} brings it back")
