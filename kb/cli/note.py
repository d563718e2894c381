"""`kb note`: say something in the session."""

from __future__ import annotations

import click

from kb.cli.session import add_step, session_of, session_option, text_given


@click.command(short_help="Add a note to the session.")
@click.argument("words", nargs=-1, metavar="[TEXT|-]...")
@session_option
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], named: str) -> None:
    """Add a note to the session.

    TEXT is Markdown; without it, or with "-", standard input is read, and in a terminal an editor opens.

    \b
    Examples:
      kb note only rank 3 does this
      dmesg | grep -i xid | kb note -

    Exit status: 0 noted; 64 no session is open, or nothing was said.
    """
    current = session_of(ctx, named)
    text = text_given(words, "note", "note")
    from kb.record.model import Note

    add_step(current, Note(prose=text), "note")
