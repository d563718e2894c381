"""`kb triage`: the root failure of a log, whether it is known, and what fixes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from kb.cli.reading import read_input
from kb.cli.terminal import note, say
from kb.cli.where import optional_home, ready_store
from kb.cli.with_option import with_option
from kb.errors import InputError, KbError
from kb.triage.model import Report, Verdict

if TYPE_CHECKING:
    from kb.index.store import Store

#: What `kb triage` exits with; of several inputs, the lowest.
STATUS: dict[Verdict, int] = {"known": 0, "new": 1, "symptom-only": 1, "no-failure": 2}


@click.command(short_help="Read a log: the root failure, whether it is known, what fixes it.")
@click.argument("files", nargs=-1, type=click.Path(), metavar="[FILE|-]...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per input, each on a line.")
@with_option
@click.option("--all", "everything", is_flag=True, help="Print every failure, match and fix.")
@click.option("--redact", is_flag=True, help="Take secrets and personal values out of the answer, for a ticket.")
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[str, ...],
    as_json: bool,
    everything: bool,
    redact: bool,
    versions: dict[str, str],
) -> None:
    """Read a log: the root failure, whether it is known, what fixes it.

    Reads FILES, or standard input when none is named or the name is "-". Works without a knowledge base too: then
    every failure is new. The JSON is described by `kb schema triage`.

    Fixes are ranked by their evidence; those for other versions than yours come last. Versions are taken from the log
    where it states them, and from --with.

    The answer quotes the log as it is. With --redact it can be pasted anywhere: what the policy of kb.toml names is
    taken out (secrets always); the signature stays the same.

    \b
    Verdicts:
      known         this signature is in the knowledge base
      new           a failure that the knowledge base has not seen
      symptom-only  only wrappers or cascades: the cause is in another log
      no-failure    nothing failed here

    \b
    Examples:
      kb triage server.log
      journalctl -u app --since today | kb triage
      kb triage --with vllm=0.15.1 --with torch=2.9.0 server.log
      kb triage --redact server.log | xclip
      kb triage --json rank*.log | jq -c '[.source, .verdict]'

    Exit status: 0 known; 1 new or symptom-only; 2 no failure; of several inputs the lowest. 64 wrong usage; 66 an input
    cannot be read (the others are still answered). An index that cannot be opened is noted, and the log answered
    without it.
    """
    store, unasked = _store(ctx)
    clean = _redactor(ctx) if redact else None
    worst: KbError | None = None
    statuses: list[int] = []
    for name in files or ("-",):
        try:
            report = _report(name, store, versions, excerpts=as_json or everything)
        except InputError as error:
            note(str(error))
            worst = error
            continue
        _print(report, as_json=as_json, everything=everything, first=not statuses, unasked=unasked, clean=clean)
        statuses.append(STATUS[report.verdict])
    ctx.exit(worst.exit_code if worst else min(statuses))


def _store(ctx: click.Context) -> tuple[Store | None, str]:
    """The index to ask, or None and why there is none."""
    home = optional_home(ctx)
    if home is None:
        return None, "No knowledge base here, so nothing is known."
    try:
        return ready_store(home), ""
    except KbError as error:
        note(str(error))
        return None, "The knowledge base cannot be asked, so whether this is known is open."


def _report(name: str, store: Store | None, versions: dict[str, str], *, excerpts: bool) -> Report:
    from kb.failures.large import LARGE
    from kb.triage.report import triage

    data = read_input(name, LARGE)
    if not isinstance(data, bytes):
        note("a large log: reading only the neighbourhoods of words that mark failures")
    return triage(data, "<stdin>" if name == "-" else name, store, excerpts=excerpts, versions=versions)


def _redactor(ctx: click.Context) -> Callable[[str], str]:
    from kb.cli.redacting import output_redactor

    return output_redactor(ctx).text


def _print(
    report: Report,
    *,
    as_json: bool,
    everything: bool,
    first: bool,
    unasked: str,
    clean: Callable[[str], str] | None,
) -> None:
    if as_json:
        from kb.cli.output import print_json
        from kb.triage.as_json import report_json

        answer = report_json(report)
        if clean:
            from kb.capture.redacting import redacted

            answer = redacted(answer, clean)
        print_json(answer, indent=None)
        return
    from kb.cli.triage_text import report_lines

    if not first:
        say()
    for line in report_lines(report, everything=everything, unasked=unasked):
        say(clean(line) if clean else line)
