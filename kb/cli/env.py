"""`kb env`: what kb sees of where it runs."""

from __future__ import annotations

from pathlib import Path

import click

from kb.cli.output import print_json
from kb.cli.terminal import one_line, paint, say


@click.command("env", short_help="Show what a record says of where something runs.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(as_json: bool) -> None:
    """Show what a record says of where something runs.

    This is what `kb start` puts into the record. Every part is optional: what is not here is left out. Versions of
    packages come later, from the tracebacks that name their files.

    \b
    Examples:
      kb env
      kb env --json | jq -r .components.python

    Exit status: 0.
    """
    from kb.capture.environment.collect import collect, each

    if as_json:
        facts = collect(Path.cwd())
        print_json({"components": facts.components, "environment": facts.environment})
        return
    for collector, found in each(Path.cwd()):
        for name, text in found.items():
            say(f"{name:<10} {one_line(text)}")
        if not found:
            say(paint(f"{collector.name:<10} not found: {collector.about}", dim=True))
