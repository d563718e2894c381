"""`kb attempt`: begin the next attempt by hand."""

from __future__ import annotations

import click

from kb.cli.session import session_of, session_option
from kb.cli.terminal import note, one_line, say


@click.command(short_help="Begin the next attempt.")
@click.argument("words", nargs=-1, metavar="[TITLE]...")
@click.option("--reruns", type=click.IntRange(min=1), metavar="N", help="It tries what attempt N tried.")
@session_option
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], reruns: int | None, named: str) -> None:
    """Begin the next attempt.

    Attempts begin by themselves: with what is run or read after a fix, and with what is run again after it failed. This
    begins one where that is not enough.

    \b
    Examples:
      kb attempt on the other machine
      kb attempt with two workers --reruns 1

    Exit status: 0 begun; 64 no session is open, or there is no attempt N.
    """
    from kb.capture.entry import Entry
    from kb.capture.writing import append, held
    from kb.errors import UsageError

    current = session_of(ctx, named)
    session = held(current).session
    if reruns and session is not None and reruns > len(session.attempts):
        raise UsageError(f"there is no attempt {reruns}", hint=f"the session has {len(session.attempts)}")
    title = " ".join(words).strip() or "the next try"
    done = append(current, Entry(begin=True, title=title, reruns=reruns))
    if done.waits:
        note(f"the attempt is kept, and goes into the record later: {done.waits}")
    else:
        say(f"attempt {done.attempt} of {one_line(current.id)}: {one_line(title)}")
