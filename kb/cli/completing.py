"""What the shell offers for a name: ids of signatures and sessions, slugs of fixes."""

from __future__ import annotations

from pathlib import Path

import click

from kb.home import find_home


def complete_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The names in the index that begin with `incomplete`; none when there is no index to ask."""
    from kb.errors import KbError
    from kb.index.store import open_store

    root = ctx.find_root()
    named = root.params.get("home")
    try:
        home = find_home(Path(named) if named else None)
        if home is None or not home.index.is_file():
            return []
        with open_store(home) as store:
            return [name for _, name in store.names(incomplete)]
    except KbError:
        return []  # completion has no place to say what is wrong; the command itself will
