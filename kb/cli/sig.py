"""`kb sig`: what people decide about signatures: merge, split, name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

import click

from kb.cli.completing import complete_names
from kb.cli.naming import named_signature
from kb.cli.sig_list import decision_lines, decision_rows
from kb.cli.terminal import note, one_line, say, visible, wrap
from kb.cli.where import build, chosen_home, ready_store
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.home import Home
    from kb.index.store import Store
    from kb.knowledge.model import SignatureKnowledge
    from kb.record.decision import By, Decision, Made

F = TypeVar("F", bound=Callable[..., object])


def _reasons(command: F) -> F:
    """The options that say why and by whom something is decided."""
    why = click.option("--why", default="", metavar="TEXT", help="Why, in a sentence.")
    by = click.option("--by", default="", metavar="NAME", help="Who decides (Git knows who committed it).")
    return why(by(command))


@click.group(short_help="Merge, split and name signatures.")
def command() -> None:
    """Merge, split and name signatures.

    Where the rules tell two failures apart that are one, or take two for one, people decide. Each decision is a file in
    the folder decisions/ of the knowledge base, kept in Git beside the sessions; deleting the file takes it back. `kb
    check` names decisions that contradict each other.

    \b
    Examples:
      kb sig merge kb1-dm2yvgvqv2 kb1-v54emkxpyi --why "worded anew in 0.16"
      kb sig split kb1-q2n3ah6l7n --message "No space left on device"
      kb sig name kb1-dm2yvgvqv2 "Qwen2-VL cannot be served with EAGLE"
      kb sig list
    """


@command.command("merge", short_help="Say that signatures are one.")
@click.argument("keep", metavar="ID", shell_complete=complete_names)
@click.argument("others", metavar="OTHER...", nargs=-1, required=True, shell_complete=complete_names)
@_reasons
@click.pass_context
def merge(ctx: click.Context, keep: str, others: tuple[str, ...], why: str, by: str) -> None:
    """Say that each OTHER is the same failure as ID.

    ID keeps its id and title (where people named only another one of them, that name); the others stay as names of it
    everywhere, and their fixes, sessions and patterns become its own.

    \b
    Examples:
      kb sig merge kb1-dm2yvgvqv2 kb1-v54emkxpyi
      kb sig merge kb1-dm2y kb1-v54e kb1-q2n3 --why "one cause"

    Exit status: 0 decided; 64 there is no such signature, or they are one already.
    """
    from kb.record.decision import Merge

    home = chosen_home(ctx)
    with _fresh_store(home) as store:
        into = named_signature(store, keep)
        taken = [named_signature(store, other) for other in others]
    same = [other for other in taken if other.signature.id == into.signature.id]
    if same:
        raise UsageError(f"{same[0].signature.id} cannot be merged into itself", hint="they are one signature already")
    ids = tuple(dict.fromkeys(other.signature.id for other in taken))
    _decide(home, Merge(into.signature.id, ids, _made(why, by)))
    for other in taken:
        say("\n".join(wrap(f"{other.signature.id} is {into.signature.id}, {_title(into)}", indent="  ", first="")))


@command.command("split", short_help="Say that some failures of a signature are another one.")
@click.argument("signature", metavar="ID", shell_complete=complete_names)
@click.option("--message", metavar="TEXT", help="A text that their messages hold, and those of the others do not.")
@click.option("--function", metavar="NAME", help="Their innermost own function.")
@click.option("--title", default="", metavar="TEXT", help="What the part is called.")
@_reasons
@click.pass_context
def split(
    ctx: click.Context,
    signature: str,
    message: str | None,
    function: str | None,
    title: str,
    why: str,
    by: str,
) -> None:
    """Say that some failures of ID are another signature.

    They are told by a text that their message holds (as it stands in the log, before masking), or by the innermost own
    function of their traceback. The rest stays ID. The part's id depends on nothing but ID and what tells it, so it is
    the same wherever it is split off.

    \b
    Examples:
      kb sig split kb1-q2n3ah6l7n --message "No space left on device"
      kb sig split kb1-q2n3ah6l7n --function load_weights --title "Bad weights"

    Exit status: 0 decided; 64 there is no such signature, or nothing in it is told by that.
    """
    from kb.record.decision import Split
    from kb.signature.part import part_id

    by_what, text = _condition(message, function)
    home = chosen_home(ctx)
    with _fresh_store(home) as store:
        known = named_signature(store, signature)
    inside, outside = _divided(known, by_what, text)
    if not inside:
        raise UsageError(f"no failure of {known.signature.id} is told by that", hint=_what_would(known, by_what))
    if not outside:
        note("all known failures of it are told by that: none is left for now")
    name = known.signature.id
    _decide(home, Split(name, by_what, text, title, _made(why, by)))
    say(f"{part_id(name, by_what, text)} takes {inside} of the {inside + outside} known failures of {name}")


@command.command("name", short_help="Give a signature a better title.")
@click.argument("signature", metavar="ID", shell_complete=complete_names)
@click.argument("title")
@_reasons
@click.pass_context
def name(ctx: click.Context, signature: str, title: str, why: str, by: str) -> None:
    """Give a signature a better title.

    It takes the place of the title that people gave it before.

    \b
    Examples:
      kb sig name kb1-dm2yvgvqv2 "Qwen2-VL cannot be served with EAGLE"

    Exit status: 0 decided; 64 there is no such signature.
    """
    from kb.record.decision import Rename
    from kb.record.decision_file import read_decisions

    home = chosen_home(ctx)
    with _fresh_store(home) as store:
        known = named_signature(store, signature)
    earlier = tuple(
        one for one in read_decisions(home)[0] if isinstance(one, Rename) and one.signature == known.signature.id
    )
    _decide(home, Rename(known.signature.id, " ".join(title.split()), _made(why, by)), instead_of=earlier)
    say(f"{known.signature.id} is now called: {one_line(title)}")


@command.command("list", short_help="List what was decided.")
@click.option("--json", "as_json", is_flag=True, help="Print the decisions as JSON.")
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List what was decided about signatures, and the file of each decision.

    \b
    Examples:
      kb sig list
      kb sig list --json | jq -r '.[].file'

    Exit status: 0.
    """
    from kb.record.decision_file import read_decisions

    home = chosen_home(ctx)
    decisions, problems = read_decisions(home)
    for problem in problems:
        note(one_line(str(problem)))
    with ready_store(home) as store:
        titles = {one: card.title for decision in decisions for one in _ids(decision) if (card := store.lookup_id(one))}
    if as_json:
        from kb.cli.output import print_json

        print_json(decision_rows(decisions))
        return
    for line in decision_lines(decisions, titles):
        say(line)


def _ids(decision: Decision) -> tuple[str, ...]:
    from kb.record.decision import mentioned

    return mentioned(decision)


def _made(why: str, by: str) -> Made:
    from kb.record.decision import Made

    date = datetime.now(UTC).date().isoformat()
    return Made(date=date, by=" ".join(by.split()), why=" ".join(why.split()))


def _fresh_store(home: Home) -> Store:
    """The index of `home`, brought up to date first: a decision about ids of yesterday would be about nothing."""
    build(home)
    return ready_store(home)


def _title(known: SignatureKnowledge) -> str:
    return one_line(known.signature.title)


def _condition(message: str | None, function: str | None) -> tuple[By, str]:
    if message is not None and function is None:
        return "message", message
    if function is not None and message is None:
        return "function", function
    raise UsageError("say what tells the part from the rest", hint="by either --message TEXT or --function NAME")


def _divided(known: SignatureKnowledge, by: By, text: str) -> tuple[int, int]:
    """How many known failures of a signature a part takes, and how many it leaves."""
    from kb.signature.part import belongs

    taken = [belongs(one.failure, by, text) for _, one in known.occurrences]
    return sum(taken), len(taken) - sum(taken)


def _what_would(known: SignatureKnowledge, by: By) -> str:
    from kb.signature.part import innermost

    if by == "function":
        names = dict.fromkeys(innermost(one.failure) for _, one in known.occurrences)
        return "their innermost functions: " + (", ".join(name for name in list(names)[:5] if name) or "none is known")
    messages = dict.fromkeys(one.failure.message.split("\n", 1)[0][:80] for _, one in known.occurrences)
    return "their messages: " + "; ".join(map(one_line, list(messages)[:3]))


def _decide(home: Home, decision: Decision, *, instead_of: Iterable[Decision] = ()) -> None:
    """Write the file of a decision, unless the same is decided already, and bring the index up to date.

    The files of the decisions that it is made `instead_of` are removed.
    """
    from kb.atomic import write_text
    from kb.record.decision_file import decision_name, decision_text, read_decision

    decision = _redacted(home, decision)
    text = decision_text(decision)
    problems = read_decision(text.encode("utf-8", "replace"), "").problems
    if problems:
        raise UsageError(problems[0].message, hint=problems[0].hint)
    path = home.decisions / decision_name(decision)
    write_text(path, text)
    shown = visible(path.relative_to(home.root).as_posix())
    for one in instead_of:
        if (old := home.root / one.made.path) != path:
            old.unlink(missing_ok=True)
            shown += f" in place of {visible(one.made.path)}"
    build(home)
    say(f"Wrote {shown}; delete it to take this back.")


def _redacted(home: Home, decision: Decision) -> Decision:
    """`decision` without secrets; one that needs a secret to tell failures apart is refused."""
    from kb.capture.redaction.redactor import secrets_redactor
    from kb.record.decision import Merge, Split

    redact = secrets_redactor(home).text
    made = decision.made._replace(by=redact(decision.made.by), why=redact(decision.made.why))
    if isinstance(decision, Merge):
        return decision._replace(made=made)
    if isinstance(decision, Split) and redact(decision.text) != decision.text:
        raise UsageError("what tells the part from the rest holds a secret", hint="tell it by another text")
    return decision._replace(made=made, title=redact(decision.title))
