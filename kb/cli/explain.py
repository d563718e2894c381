"""`kb explain`: how the failures of a log got their roles and signatures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from kb.cli.reading import read_input
from kb.cli.terminal import one_line, paint, say, verbatim, visible, wrap

if TYPE_CHECKING:
    from kb.failures.model import Failure
    from kb.signature.model import Reason, Signature


@click.command(short_help="Show how the failures of a log got their roles and signatures.")
@click.argument("log", metavar="LOG|-", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(ctx: click.Context, log: str, as_json: bool) -> None:
    """Show how the failures of a log got their roles and signatures.

    Prints every failure with its role and the reasons for it, and for each signature what every rule changed and why
    it does, the segments, the pattern and the anchor. Needs no knowledge base.

    \b
    Examples:
      kb explain server.log
      kb explain - < server.log

    Exit status: 0 there are failures; 2 there are none; 66 the log cannot be read.
    """
    from kb.failures.large import LARGE, find_in
    from kb.signature.sign import sign

    found = find_in(read_input(log, LARGE)).found
    signed = [(failure, sign(failure)) for failure in found.failures]
    if as_json:
        from kb.cli.output import print_json

        print_json(
            {
                "source": log,
                "lines": found.lines,
                "primary": found.primary,
                "failures": [_as_dict(failure, signature) for failure, signature in signed],
                "hints": list(found.hints),
            }
        )
    else:
        for number, (failure, signature) in enumerate(signed):
            if number:
                say()
            for line in _lines(number, failure, signature, primary=number == found.primary):
                say(line)
        for hint in found.hints:
            say("\n".join(wrap(visible(hint), indent="  ", first="> ")))
        if not signed:
            say(f"no failure in {found.lines} lines")
    ctx.exit(0 if signed else 2)


def _lines(number: int, failure: Failure, signature: Signature, *, primary: bool) -> Iterator[str]:
    mark = ", the primary one" if primary else ""
    yield paint(f"failure {number}", bold=True) + f": {failure.role}{mark}"
    for line in verbatim(visible(failure.text.strip()), indent="  ", lines=6):
        yield paint(line, "red")
    process = f", process {failure.process}" if failure.process else ""
    span = f"line {failure.line} (report {failure.first_line} to {failure.last_line})"
    yield from wrap(one_line(f"{span}{process}, read by {failure.reader or 'no reader'}"), indent="  ")
    for because in failure.because:
        yield from wrap(visible(because), indent="    ", first="  because ")
    if failure.caused_by is not None:
        yield f"  caused by failure {failure.caused_by}"
    for link in failure.links:
        yield f"  {link.relation} of failure {link.to}"
    yield from wrap(f"{signature.id}  {one_line(signature.title)}", indent="    ", first="  signature ")
    for reason in signature.reasons:
        yield from _change(reason)
    segments = " ".join(s.text if s.gap else repr(s.text) for s in signature.segments)
    for label, value in (
        ("segments", segments),
        ("template", signature.template),
        ("pattern", signature.pattern or "(the line says too little to be a rule)"),
        ("context", signature.context),
        ("anchor", signature.anchor),
    ):
        if value:
            yield from verbatim(one_line(value), indent=" " * 13, first=f"    {label:<9}")


def _change(reason: Reason) -> Iterator[str]:
    """What a rule did: its name, why it is there, and the text before and after it."""
    from kb.signature.rules import about

    said = about(reason.rule)
    if not said:
        yield from verbatim(f"{reason.rule}: {one_line(reason.before)}", indent="        ", first="    ", lines=3)
    else:
        yield from wrap(f"{reason.rule}: {said}", indent="        ", first="    ")
        if reason.before:
            yield from verbatim(one_line(reason.before), indent="        ", lines=3)
        if reason.before == reason.after:
            return
    yield from verbatim(one_line(reason.after), indent="        ", first="     -> ", lines=3)


def _as_dict(failure: Failure, signature: Signature) -> dict[str, Any]:
    from kb.signature.rules import about

    return {
        "role": failure.role,
        "because": list(failure.because),
        "caused_by": failure.caused_by,
        "kind": failure.kind,
        "type": failure.type,
        "message": failure.message,
        "process": failure.process,
        "reader": failure.reader,
        "line": failure.line,
        "first_line": failure.first_line,
        "last_line": failure.last_line,
        "text": failure.text,
        "links": [{"relation": link.relation, "failure": link.to} for link in failure.links],
        "signature": {
            "id": signature.id,
            "title": signature.title,
            "template": signature.template,
            "segments": [{"text": s.text, "gap": s.gap} for s in signature.segments],
            "pattern": signature.pattern,
            "context": signature.context,
            "anchor": signature.anchor,
            "reasons": [
                {"rule": r.rule, "about": about(r.rule), "before": r.before, "after": r.after}
                for r in signature.reasons
            ],
        },
    }
