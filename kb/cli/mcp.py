"""`kb mcp`: the knowledge base for agents and other programs."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from kb.cli.terminal import note
from kb.cli.where import asked_home, ready_store
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.home import Home

#: The address that is served by default is this machine's own: whoever can reach it can read the knowledge base.
_HERE = "127.0.0.1"


@click.command(short_help="Answer agents (MCP) and programs (HTTP): triage, search, show.")
@click.option("--http", "address", metavar="[HOST:]PORT", help="Serve over HTTP instead of standard input and output.")
@click.pass_context
def command(ctx: click.Context, address: str | None) -> None:
    """Answer agents (MCP) and programs (HTTP): triage, search, show.

    Speaks the Model Context Protocol on standard input and output, or with --http over HTTP under /mcp. The tools give
    what `kb triage`, `kb search` and `kb show` print with --json, from the same ranking, and change nothing. Over HTTP
    they can be had without MCP, too: POST /triage with a log as the body, GET /search?q=…&limit=…, GET /show/NAME.

    Needs the optional part of kb that brings the protocol: pip install "kb-runbook[mcp]".

    \b
    Examples:
      kb mcp
      kb mcp --http 8100
      curl --data-binary @server.log http://127.0.0.1:8100/triage
      curl 'http://127.0.0.1:8100/search?q=image_token_index'

    Exit status: 0 ended; 64 wrong usage, or the optional part is not installed.
    """
    place = _place(address) if address else None
    if find_spec("mcp") is None:
        raise UsageError("the part of kb that speaks MCP is not installed", hint='pip install "kb-runbook[mcp]"')
    home = asked_home(ctx)
    ready_store(home).close()  # what is wrong with it is said now, and an index that is missing is built
    _serve(home, place)


def _serve(home: Home, place: tuple[str, int] | None) -> None:
    from kb.cli.mcp_server import serve_http, server

    if place is None:
        server(home).run()
    else:
        note(f"answering at http://{place[0]}:{place[1]}/ until Ctrl-C")
        serve_http(home, *place)


def _place(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise UsageError(f"{address!r} is no address", hint="give a port, or HOST:PORT")
    return host or _HERE, int(port)
