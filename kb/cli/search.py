"""`kb search`: signatures, fixes and sessions by any text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from kb.cli.where import asked_home, ready_store

if TYPE_CHECKING:
    from kb.triage.find import Answer, Result

#: So much of standard input is a query: what is longer is a log, which `kb triage` reads.
_LONGEST = 1 << 20


# An error line that is pasted may hold words that begin with hyphens.
@click.command(
    short_help="Search signatures, fixes and sessions by any text.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("query", nargs=-1, metavar="[QUERY|-]...")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), help="How many hits at most.")
@click.option("--component", multiple=True, metavar="NAME[=VERSION]", help="Only with this component.")
@click.option("--tag", multiple=True, metavar="TAG", help="Only with this tag.")
@click.option("--kind", multiple=True, metavar="KIND", help="Only signatures, fixes or sessions.")
@click.option("--has", "has", multiple=True, metavar="WHAT", help="Only with a fix, a dead-end, or a next failure.")
@click.option("--resolution", multiple=True, metavar="WORD", help="Only of sessions that ended so.")
@click.option("--since", metavar="DAY|AGE", help="Only seen since then: 2026-01-31, 2026-01, 30d, 6w.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    query: tuple[str, ...],
    limit: int,
    as_json: bool,
    since: str | None,
    **narrowing: tuple[str, ...],
) -> None:
    """Search signatures, fixes and sessions by any text.

    QUERY is an id or the beginning of one, some words, a part of an identifier, or an error line or a whole traceback
    as it was pasted ("-" reads it from standard input). Signatures that the text certainly is come first, then texts
    that hold all of it, then other spellings of it, then what holds most of it; proven fixes come before open ones.
    Each hit says why it was found. `kb show` shows it. The JSON is described by `kb schema search`.

    \b
    Filters may stand in the query, each with a hyphen in front for its opposite:
      component:vllm  component:vllm=0.15  tag:startup
      has:fix  has:dead-end  has:next      kind:signature|fix|session
      since:2026-01-31  since:30d          resolution:fixed|worked-around|…
    All else is text, whatever colons it holds; quoted words stay together.

    \b
    Examples:
      kb search image_token_index
      kb search --limit 5 cuda out of memory
      kb search component:vllm has:fix port already in use
      xclip -o | kb search -

    Exit status: 0 there are hits; 1 there are none.
    """
    from kb.triage.find import search

    filters = [f"{name}:{value}" for name, values in narrowing.items() for value in values]
    filters += [f"since:{since}"] if since else []
    text = _text(query)
    if not text.strip() and not filters:
        raise click.UsageError("nothing to search for: give words, a filter, or - for standard input")
    answer = search(ready_store(asked_home(ctx)), text, limit, filters=filters)
    if as_json:
        from kb.cli.output import print_json
        from kb.triage.find_json import answer_json

        print_json(answer_json(answer))
    else:
        _print(answer)
    ctx.exit(0 if answer.results else 1)


def _text(query: tuple[str, ...]) -> str:
    if query != ("-",):
        return " ".join(query)
    from kb.cli.reading import read_input

    data = read_input("-", _LONGEST)
    if not isinstance(data, bytes):
        from kb.cli.terminal import note

        note("a large text: only its beginning is searched for; `kb triage` reads whole logs")
        data = data.read(_LONGEST)
    return data.decode("utf-8", "surrogateescape")


def _print(answer: Answer) -> None:
    from kb.cli.terminal import note, one_line, say

    if answer.results and answer.results[0].hit.near:
        note("nothing holds all or most of this; the nearest hold some of its words")
    if answer.results:
        for hint in answer.hints:
            note(one_line(hint))
    for result in answer.results:
        for line in _lines(result):
            say(line)
    if not answer.results:
        say("nothing found")
        for hint in answer.hints:
            say(f"  {one_line(hint)}")


def _lines(result: Result) -> Iterator[str]:
    from kb.cli.terminal import one_line, paint, wrap

    hit = result.hit
    yield f"{paint(one_line(hit.id), bold=True)}  {hit.kind}: {one_line(hit.why)}"
    yield from wrap(one_line(hit.title), indent="    ", lines=2)
    if hit.snippet.casefold() not in {"", hit.title.casefold(), hit.id}:
        yield from (paint(line, dim=True) for line in wrap(one_line(hit.snippet), indent="    ", lines=2))
    if result.fix:
        from kb.cli.fix_text import outcome_words

        more = f" (+{result.other_fixes})" if result.other_fixes else ""
        fix = result.fix
        outcome = outcome_words(
            fixed=fix.fixed, progressed=fix.progressed, failed=fix.failed, unverified=fix.unverified
        )
        told = f"fix: {one_line(result.fix.slug)}, {outcome}{more}"
        yield from (paint(line, "green" if hit.proven else "") for line in wrap(told, indent="    ", lines=2))
