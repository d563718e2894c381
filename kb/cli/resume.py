"""`kb resume`: go on with a session."""

from __future__ import annotations

import click

from kb.capture.current import Current, all_open, remember
from kb.cli.terminal import one_line, say
from kb.cli.where import chosen_home
from kb.errors import UsageError
from kb.home import Home

_MOST = 20


@click.command(short_help="Go on with a session in this folder and this terminal.")
@click.argument("name", metavar="[ID]", default="")
@click.pass_context
def command(ctx: click.Context, name: str) -> None:
    """Go on with a session in this folder and this terminal.

    ID may be its end or a part of it, when only one session fits. A closed session is opened again, and a dropped one
    is brought back. Without ID, the only open session is taken, or all that are open are listed.

    \b
    Examples:
      kb resume
      kb resume 2026-03-01-tests-hang-on-ci
      kb resume hang

    Exit status: 0 resumed; 64 there is no such session, or several; 65 its record has problems.
    """
    home = chosen_home(ctx)
    found = _found(home, name)
    if len(found) != 1:
        what = f"{len(found)} sessions are meant" if found else "no such session" if name else "no session is open"
        hint = ", ".join(found[:_MOST]) or "`kb search` finds sessions by any text"
        raise UsageError(what + (f": {name}" if name else ""), hint=hint)
    from kb.capture.dropping import bring_back

    brought = bring_back(home, found[0])
    current = remember(home, found[0])
    opened = _open_again(current)
    how = "is back" if brought else "is open again" if opened else "goes on"
    say(f"session {one_line(current.id)} {how} here")


def _found(home: Home, name: str) -> list[str]:
    from kb.capture.dropping import dropped
    from kb.record.folder import session_files

    current = [one.id for one in all_open(home)]
    if not name:
        return current
    known = dict.fromkeys([*current, *(path.stem for path in session_files(home)), *dropped(home)])
    if name in known:
        return [name]
    near = [one for one in known if name in one]
    return [one for one in near if one in current] or near


def _open_again(current: Current) -> bool:
    """Take back that a closed session ended; whether it had."""
    from kb.capture.writing import change, held

    session = held(current).session
    if session is None or session.resolution == "open":
        return False
    change(current, lambda draft: draft.finish("open", None))
    return True
