"""`kb status`: the session one is in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kb.capture.current import Current, find_current
from kb.cli.terminal import one_line, say, visible
from kb.cli.where import optional_home
from kb.errors import KbError, UsageError

if TYPE_CHECKING:
    from kb.capture.writing import Held
    from kb.record.model import Session


@click.command(short_help="Show the session one is in.")
@click.option("--short", is_flag=True, help="A few words for the prompt of a shell; nothing when no session is open.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--session", "named", metavar="ID", default="", help="Another session than the one open here.")
@click.pass_context
def command(ctx: click.Context, short: bool, as_json: bool, named: str) -> None:
    """Show the session one is in.

    Its attempts, what was seen last, and what is still missing in its record. For the prompt of a shell:
    PS1='$(kb status --short)'"$PS1".

    \b
    Examples:
      kb status
      kb status --short

    Exit status: 0 a session is open; 1 none is.
    """
    try:
        home = optional_home(ctx)
        current = find_current(home, named=named) if home is not None else None
    except UsageError:
        if short:
            ctx.exit(1)
        raise
    if current is None:
        if not short:
            say('no session is open here; `kb start "what is broken"` opens one')
        ctx.exit(1)
    if short:
        from kb.cli.prompt import short as in_short

        say(in_short(current))
        return
    from kb.capture.writing import held
    from kb.cli.recording import recover_all

    recover_all(current.home)
    found = held(current)
    if as_json:
        from kb.cli.output import print_json

        print_json(_json(current, found))
        return
    _show(current, found)


def _json(current: Current, found: Held) -> dict[str, Any]:
    from kb.record.problems import problems_json

    session = found.session
    return {
        "id": current.id,
        "record": str(current.record),
        "title": session.title if session else None,
        "started": session.started.isoformat() if session else None,
        "attempts": [attempt.title for attempt in session.attempts] if session else [],
        "waiting": found.waiting,
        "problems": problems_json(found.problems),
        "missing": [one.code for one in _missing(session)],
    }


def _show(current: Current, found: Held) -> None:
    session = found.session
    say(f"session {one_line(current.id)}" + (f": {one_line(session.title)}" if session else ""))
    say(f"  record   {visible(str(current.record))}")
    for problem in found.problems:
        say(f"  problem  {one_line(str(problem))}")
    if found.waiting:
        say(f"  waiting  {found.waiting} to go into the record once it is in order")
    if session is None:
        return
    say(f"  open     since {session.started.astimezone():%Y-%m-%d %H:%M}")
    for number, attempt in enumerate(session.attempts, start=1):
        fixes = [step.slug for step in attempt.steps if step.step == "fix"]
        said = f", then {', '.join(fixes)}" if fixes else ""
        say(f"  {f'attempt {number}':<10} {one_line(attempt.title)}{_ended(session, number)}{said}")
    for line in _known(current, session):
        say(line)
    for one in _missing(session):
        say(f"  missing  {one.message}")


def _ended(session: Session, number: int) -> str:
    from kb.capture.runs import ended_badly

    evidence = [s for s in session.attempts[number - 1].steps if s.step in ("console", "log", "failure")]
    if not evidence:
        return ""
    return ": failed" if any(ended_badly(step) for step in evidence) else ": ended well"


def _known(current: Current, session: Session) -> list[str]:
    from kb.capture.fixing import root_of
    from kb.cli.known import known_fixes, listed

    root = root_of(session)
    if root is None:
        return []
    lines = [f"  failure  {root.id}  {one_line(root.title)}"]
    try:
        fixes = known_fixes(current.home, session)
    except KbError:
        return lines
    return lines + [f"  known    {line}" for line in listed(fixes)]


def _missing(session: Session | None) -> tuple[Any, ...]:
    from kb.capture.draft import missing

    return missing(session) if session else ()
