"""`kb start`: open a session."""

from __future__ import annotations

from pathlib import Path

import click

from kb.capture.current import VARIABLE, all_open
from kb.capture.terminal import terminal_key
from kb.cli.terminal import note, one_line, say, visible
from kb.cli.where import chosen_home


@click.command(short_help="Open a session: what is done from now on is recorded in it.")
@click.argument("words", nargs=-1, metavar="[TITLE]...")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag of the record; may be given more than once.")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], tags: tuple[str, ...]) -> None:
    """Open a session: what is done from now on is recorded in it.

    Makes its record, sessions/DATE-TITLE.md, and remembers it for this folder and for this terminal: two sessions at
    once in two terminals do not mix. It stays open over a reboot, until `kb finish`. The versions of what runs here are
    collected (`kb env` shows them).

    \b
    Examples:
      kb start vLLM dies when the draft model loads
      kb start "tests hang on CI" --tag ci

    In the prompt of a shell, `kb status --short` shows the session. Exit status: 0 open; 64 no knowledge base here;
    74 the record cannot be made.
    """
    from kb.capture.entry import Entry
    from kb.capture.environment.collect import collect
    from kb.capture.names import slug_of
    from kb.capture.writing import begin

    home = chosen_home(ctx)
    others = [one for one in all_open(home) if one.directory == Path.cwd().resolve()]
    title = " ".join(words).strip() or f"Something is wrong in {Path.cwd().name or 'this folder'}"
    facts = collect(Path.cwd())
    known = Entry(components=facts.components, environment=facts.environment)
    current = begin(home, title, known=known, tags=[slug for tag in tags if (slug := slug_of(tag))])
    say(f"session {one_line(current.id)} is open; its record is {visible(_shown(current.record))}")
    if others and terminal_key() is None:
        note(f"another session is open here: to keep the two apart, set {VARIABLE}={current.id}")
    elif others:
        note(f"{others[-1].id} stays open; `kb resume {others[-1].id}` goes back to it")


def _shown(path: Path) -> str:
    here = Path.cwd().resolve()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
