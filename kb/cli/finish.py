"""`kb finish`: close the session; asks only for what is missing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, get_args

import click

from kb.cli.session import is_asked, session_of, session_option
from kb.cli.terminal import note, one_line, say, wrap
from kb.errors import KbError, RecordError, UsageError

if TYPE_CHECKING:
    from kb.capture.current import Current
    from kb.record.model import Resolution, Session

#: How a session can end; `kb schema record` has the same words, and `open`.
_ENDINGS = ("fixed", "worked-around", "mitigated", "abandoned")


@click.command(short_help="Close the session; asks only for what is missing.")
@click.argument("words", nargs=-1, metavar="[SENTENCE]...")
@click.option("--resolution", type=click.Choice(_ENDINGS), help="How it ended (by default as a rerun shows it).")
@click.option("--fix", "fix", default="", metavar="NAME", help="The fix, when none was named yet (see kb fix).")
@click.option("--title", default="", metavar="TEXT", help="A better title than the one it was begun with.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing.")
@session_option
@click.pass_context
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    resolution: str | None,
    fix: str,
    title: str,
    yes: bool,
    named: str,
) -> None:
    """Close the session; asks only for what is missing.

    That is how it ended, a sentence on what it was, and the name of the fix. Every answer is an argument or an option
    too, and nothing is asked with --yes or when standard input is no terminal. Then the index is brought up to date,
    and what each fix did is shown as the record proves it.

    \b
    Examples:
      kb finish
      kb finish the token id lay under another name
      kb finish --resolution abandoned "another server is used"

    Exit status: 0 closed; 64 no session is open, or it is not known how it ended; 65 the record has problems.
    """
    from kb.capture.draft import missing
    from kb.capture.writing import held

    current = session_of(ctx, named)
    session, problems, _ = held(current)
    if session is None or problems:
        raise RecordError(problems)
    asking = is_asked() and not yes
    ending = _ending(session, resolution, asking=asking)
    lacks = {one.code for one in missing(session.model_copy(update={"resolution": ending}))}
    if fix or ("fix" in lacks and asking):
        _name_fix(current, session, fix, asking=asking)
    closing = " ".join(words).strip()
    if not closing and "sentence" in lacks and asking:
        closing = click.prompt("What was it, in a sentence", default="", show_default=False, err=True).strip()
    closed = _close(current, ending, closing, title)
    say(f"session {one_line(current.id)} is closed: {ending}")
    for one in missing(closed):
        note(f"still open: {one.message} (`kb edit {current.id}`)")
    _show_outcomes(current)


def _ending(session: Session, given: str | None, *, asking: bool) -> Resolution:
    """How the session ended: as given, as the record says, as its last run shows, or as answered."""
    from kb.cli.ending import fixed_or_why_not
    from kb.record.model import Resolution

    found = given or (session.resolution if session.resolution != "open" else "")
    if not found:
        why_not = fixed_or_why_not(session)
        if why_not and not asking:
            hint = "say it: --resolution " + "|".join(_ENDINGS)
            raise UsageError(f"the session does not show how it ended: {why_not}", hint=hint)
        if why_not:
            note(why_not)
        found = "fixed" if not why_not else ""
        if asking and (why_not or not _has_fix(session)):
            found = click.prompt("How did it end", type=click.Choice(_ENDINGS), default=found or None, err=True)
    return next(word for word in get_args(Resolution) if word == found)


def _has_fix(session: Session) -> bool:
    return any(step.step == "fix" for attempt in session.attempts for step in attempt.steps)


def _name_fix(current: Current, session: Session, name: str, *, asking: bool) -> None:
    """Name the fix that was made; what it changed is found as `kb fix` finds it."""
    from kb.cli.fix import name_fix
    from kb.cli.known import known_fixes, listed

    if not name and asking:
        fixes = known_fixes(current.home, session)
        for line in listed(fixes):
            click.echo(f"  {line}", err=True)
        name = click.prompt("Name of the fix (empty: none)", default="", show_default=False, err=True).strip()
    if not name:
        return
    try:
        name_fix(current, session, name, {})
    except UsageError as error:
        if not asking:
            raise
        note(str(error))


def _close(current: Current, ending: Resolution, closing: str, title: str) -> Session:
    from kb.capture import snapshot
    from kb.capture.current import forget
    from kb.capture.draft import Draft
    from kb.capture.entry import one_line as as_title
    from kb.capture.redacting import forget_numbers, redactor
    from kb.capture.writing import change

    redact = redactor(current.home, current.id)

    def edit(draft: Draft) -> None:
        ended = max(datetime.now(UTC).replace(microsecond=0), draft.session.started)
        draft.finish(ending, ended, closing=redact(closing), title=as_title(redact(title)))

    closed = change(current, edit)
    forget(current.home, current.id)
    snapshot.forget(current)
    forget_numbers(current.home, current.id)
    return closed


def _show_outcomes(current: Current) -> None:
    """What each fix did, as the index derives it now; an index that cannot be built takes nothing back."""
    from kb.cli.where import build
    from kb.index.store import open_store

    try:
        build(current.home)
        with open_store(current.home) as store:
            facts = store.session(current.id)
    except KbError as error:
        note(str(error))
        return
    for one in facts.tries if facts else ():
        say(f"  {one.fix}: {one.outcome}" + (f" ({one.strength})" if one.strength else "") + f" for {one.signature_id}")
        for line in wrap(one_line(one.because), indent="    "):
            say(line)
