"""`kb diagnose`: say what it is."""

from __future__ import annotations

import click

from kb.cli.session import add_step, session_of, session_option, text_given


@click.command(short_help="Say what the cause is, as far as it is known.")
@click.argument("words", nargs=-1, metavar="[TEXT|-]...")
@click.option("--confidence", type=click.Choice(["low", "medium", "high"]), help="How sure you are.")
@click.option("--rules-out", metavar="TEXT", help="What it cannot be any more.")
@session_option
@click.pass_context
def command(
    ctx: click.Context, words: tuple[str, ...], confidence: str | None, rules_out: str | None, named: str
) -> None:
    """Say what the cause is, as far as it is known.

    TEXT is Markdown; without it, or with "-", standard input is read, and in a terminal an editor opens. A diagnosis
    that turned out wrong is worth keeping: say so with a second one.

    \b
    Examples:
      kb diagnose the config class has no image_token_index
      kb diagnose "the cache is stale" --confidence low --rules-out "a full disk"

    Exit status: 0 written; 64 no session is open, or nothing was said.
    """
    current = session_of(ctx, named)
    text = text_given(words, "diagnosis", "diagnose")
    from kb.record.model import Diagnosis

    step = Diagnosis.model_validate({"prose": text, "confidence": confidence, "rules_out": rules_out})
    add_step(current, step, "diagnosis")
