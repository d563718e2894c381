"""`kb show`: a signature, a session or a fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kb.cli.completing import complete_names
from kb.cli.terminal import note
from kb.cli.where import asked_home, ready_store
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.index.store import Store
    from kb.knowledge.model import Knowledge


@click.command(short_help="Show a signature, a session or a fix.")
@click.argument("name", metavar="ID|SESSION|SLUG", shell_complete=complete_names)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(ctx: click.Context, name: str, as_json: bool) -> None:
    """Show a signature, a session or a fix.

    A signature: how to recognise it, what fixes it, what was tried in vain, what comes next. A session: its attempts
    with what failed in each. A fix: what it did to each signature. The first characters of a name are enough where only
    one name begins with them.

    \b
    Examples:
      kb show kb1-mfrggzdfmz
      kb show 2026-02-22-vllm-eagle3-kimi-k2-5
      kb show allow-kimi-k2-model-type --json

    Exit status: 0 shown; 64 there is no such name.
    """
    with ready_store(asked_home(ctx)) as store:
        kind, key, became = resolve(store, name)
        knowledge = shown(store, kind, key)
    if became:
        note(_renamed(name, became))
    if as_json:
        from kb.cli.output import print_json
        from kb.cli.show_json import shown_json

        print_json(shown_json(knowledge, kind, key))
        return
    from kb.cli.show_text import shown_lines
    from kb.cli.terminal import say

    for line in shown_lines(knowledge, kind, key):
        say(line)


def _renamed(name: str, became: tuple[str, ...]) -> str:
    """What to say when an old id was asked for."""
    if len(became) == 1:
        return f"{name} goes by {became[0]} now"
    return f"{name} has become several signatures: {became[0]}, shown here, and {', '.join(became[1:])}"


def resolve(store: Store, name: str) -> tuple[str, str, tuple[str, ...]]:
    """The kind and full name of `name`, which may be the beginning of one name only, and what an old id has become.

    A name may be both that of a session and that of a fix: the session is shown. Of an old id the name is the first of
    what it has become.
    """
    kind, key = _named(store, name)
    became = store.became(key) if kind == "signature" else ()
    return kind, became[0] if became else key, became


def _named(store: Store, name: str) -> tuple[str, str]:
    names = store.names(name)
    exact = sorted((kind for kind, full in names if full == name), key=("signature", "session", "fix").index)
    if exact:
        return exact[0], name
    if not names:
        raise UsageError(f"no signature, session or fix is named {name!r}", hint="`kb search` finds them by any text")
    if len(names) > 1:
        some = ", ".join(full for _, full in names[:5])
        raise UsageError(f"{len(names)} names begin with {name!r}", hint=f"for example {some}")
    return names[0]


def shown(store: Store, kind: str, key: str) -> Knowledge:
    """What is needed of all knowledge to show one name."""
    from kb.knowledge.model import Knowledge

    if kind == "fix":
        return store.knowledge()
    if kind == "session":
        facts = store.session(key)
        return Knowledge(sessions={key: facts} if facts else {}, signatures={})
    known = store.signature(key)
    assert known is not None, "the index lists a signature that it does not hold"
    near = {key: known}
    for other in [*(chain.after for chain in known.next), *(chain.before for chain in known.previous)]:
        neighbour = store.signature(other)
        if neighbour is not None:
            near[other] = neighbour
    sessions = {name: facts for name in known.sessions if (facts := store.session(name))}
    return Knowledge(sessions=sessions, signatures=near)
