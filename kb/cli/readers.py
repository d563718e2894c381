"""`kb readers`: what kb can read in a log."""

from __future__ import annotations

import click

from kb.cli.output import print_json
from kb.cli.terminal import paint, say, visible, wrap


@click.command(short_help="List what kb can read in a log, with an example each.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...], as_json: bool) -> None:
    """List what kb can read in a log, with an example each.

    Languages, build and test tools, platforms, servers. With NAMES, only these, each with a log that it reads.

    \b
    Examples:
      kb readers
      kb readers python nccl
      kb readers --json | jq -r '.[].name'

    Exit status: 0 done; 64 there is no reader of that name.
    """
    from kb.failures.registry import catalogue

    known = catalogue()
    unknown = [name for name in names if name not in {reader.NAME for reader in known}]
    if unknown:
        raise click.UsageError(f"no reader is called {unknown[0]!r}; `kb readers` lists them", ctx)
    chosen = [reader for reader in known if not names or reader.NAME in names]
    if as_json:
        print_json([{"name": r.NAME, "about": r.ABOUT, "example": r.EXAMPLE} for r in chosen])
        return
    for reader in chosen:
        for line in wrap(reader.ABOUT, indent=" " * 18, first=f"{reader.NAME:<16}  "):
            say(line)
        if names:
            say()
            for line in reader.EXAMPLE.splitlines():
                say(paint(f"    {visible(line)}", dim=True))
            say()
