"""`kb search`: signatures, fixes and sessions by any text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.where import chosen_home, ready_store

if TYPE_CHECKING:
    from kb.index.search import Hit


# An error line that is pasted may hold words that begin with hyphens.
@click.command(
    short_help="Search signatures, fixes and sessions by any text.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), help="How many hits at most.")
@click.option("--json", "as_json", is_flag=True, help="Print the hits as JSON.")
@click.pass_context
def command(ctx: click.Context, query: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Search signatures, fixes and sessions by any text.

    QUERY is a name, some words, or an error line as it was pasted. What holds all of it comes first, then what holds
    most of it; where nothing does, what holds some of its words is offered. Each hit says why it was found. `kb show`
    shows it.

    \b
    Examples:
      kb search image_token_index
      kb search --limit 5 cuda out of memory

    Exit status: 0 there are hits; 1 there are none.
    """
    from kb.index.search import search

    hits = search(ready_store(chosen_home(ctx)), " ".join(query), limit)
    if as_json:
        from kb.cli.output import print_json

        print_json([_as_dict(hit) for hit in hits])
    else:
        from kb.cli.terminal import note, one_line, paint, say, wrap

        if hits and hits[0].near:
            note("nothing holds all or most of this; the nearest hold some of its words")
        for hit in hits:
            say(f"{paint(one_line(hit.id), bold=True)}  {hit.kind}: {one_line(hit.why)}")
            for line in wrap(one_line(hit.title), indent="    ", lines=2):
                say(line)
            if hit.snippet.casefold() not in {"", hit.title.casefold(), hit.id}:
                for line in wrap(one_line(hit.snippet), indent="    ", lines=2):
                    say(paint(line, dim=True))
        if not hits:
            say("nothing found")
    ctx.exit(0 if hits else 1)


def _as_dict(hit: Hit) -> dict[str, str | float]:
    return {
        "kind": hit.kind,
        "id": hit.id,
        "title": hit.title,
        "snippet": hit.snippet,
        "score": hit.score,
        "why": hit.why,
        "near": hit.near,
    }
