"""`kb chain`: what comes after a failure, fix by fix, and what led to it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import click

from kb.cli.chain_text import mermaid_lines, tree_lines
from kb.cli.completing import complete_names
from kb.cli.naming import named_signature
from kb.cli.terminal import say
from kb.cli.where import asked_home, ready_store

if TYPE_CHECKING:
    from kb.knowledge.chains import ChainNode


@click.command(short_help="Show what comes after a failure, fix by fix, and what led to it.")
@click.argument("signature", metavar="ID", default="", shell_complete=complete_names)
@click.option("--mermaid", is_flag=True, help="Print a Mermaid flowchart.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(ctx: click.Context, signature: str, mermaid: bool, as_json: bool) -> None:
    """Show what comes after a failure, fix by fix, and what led to it.

    A chain is derived, not claimed: an attempt ended in one failure, a fix was made, and the next attempt got past it
    to another failure. The tree follows each failure once; where it stands again, that is said, so that cycles end.

    \b
    Examples:
      kb chain kb1-dm2yvgvqv2
      kb chain kb1-dm2y --mermaid >chain.mmd
      kb chain kb1-dm2y --json | jq '[.next | .. | .id? // empty] | unique'

    Exit status: 0 shown; 64 there is no such signature, or none is named: then the newest are.
    """
    from kb.knowledge.chains import chain_tree

    with ready_store(asked_home(ctx)) as store:
        known = named_signature(store, signature)
        lookup = lru_cache(maxsize=None)(store.signature)
        onward = chain_tree(lookup, known.signature.id, "next")
        back = chain_tree(lookup, known.signature.id, "previous")
    if as_json:
        from kb.cli.output import print_json

        print_json({"id": onward.id, "title": onward.title, "next": _ways(onward), "previous": _ways(back)})
        return
    for line in mermaid_lines(onward, back) if mermaid else tree_lines(onward, back):
        say(line)


def _ways(tree: ChainNode) -> list[dict[str, Any]]:
    return [
        {
            "id": way.id,
            "title": way.title,
            "fix": way.fix,
            "sessions": list(way.sessions),
            "ended_by": [{"fix": fix, "fixed": fixed, "tries": tries} for fix, fixed, tries in way.ended_by],
            "again": way.again,
            "cut": way.cut,
            "ways": _ways(way),
        }
        for way in tree.ways
    ]
