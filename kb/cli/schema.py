"""`kb schema`: the JSON Schema of a format."""

from __future__ import annotations

import click

from kb.cli.output import print_json


@click.command(short_help="Print the JSON Schema of a format.")
@click.argument("name", type=click.Choice(["session", "triage", "search"]))
def command(name: str) -> None:
    """Print the JSON Schema of a format.

    session: the front matter and steps of a session record. triage and search: what these commands
    print with `--json`.

    \b
    Examples:
      kb schema triage > kb-triage-1.schema.json
    """
    if name == "session":
        from kb.record.schema import session_schema

        print_json(session_schema())
    elif name == "search":
        from kb.triage.find_json import search_schema

        print_json(search_schema())
    else:
        from kb.triage.schema import triage_schema

        print_json(triage_schema())
