"""`kb fail`: a failure that leaves no error line."""

from __future__ import annotations

import click

from kb.cli.session import add_step, session_of, session_option
from kb.errors import UsageError


@click.command(short_help="Declare a failure that leaves no error line: slow, wrong, hanging.")
@click.argument("words", nargs=-1, required=True, metavar="NAME...")
@click.option("--observed", metavar="TEXT", help='What is seen, such as "acceptance 15 %".')
@click.option("--expected", metavar="TEXT", help='What should be seen, such as "> 50 %".')
@click.option("-m", "--message", default="", metavar="TEXT", help="More words on it.")
@session_option
@click.pass_context
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    observed: str | None,
    expected: str | None,
    message: str,
    named: str,
) -> None:
    """Declare a failure that leaves no error line: slow, wrong, hanging.

    It takes part in everything like one that was read in a log: use the same NAME when it is seen again. After a fix,
    it begins the next attempt.

    \b
    Examples:
      kb fail low-acceptance-rate --observed "15 %" --expected "> 50 %"
      kb fail loader hangs

    Exit status: 0 written; 64 no session is open, or the name has no letter or digit.
    """
    from kb.capture.names import slug_of
    from kb.record.model import DeclaredFailure

    current = session_of(ctx, named)
    slug = slug_of(" ".join(words))
    if not slug:
        raise UsageError("a failure needs a name of letters and digits", hint="such as loader-hangs")
    add_step(
        current, DeclaredFailure(slug=slug, observed=observed, expected=expected, prose=message), f"failure {slug}"
    )
