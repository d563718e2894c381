"""`kb fixes`: the fixes of a signature in their order, each with its evidence and why it stands there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from kb.cli.completing import complete_names
from kb.cli.fix_text import cost_words, evidence_words, outcome_words
from kb.cli.naming import named_signature
from kb.cli.terminal import one_line, own_title, paint, say, wrap
from kb.cli.where import asked_home, ready_store
from kb.cli.with_option import with_option

if TYPE_CHECKING:
    from kb.knowledge.model import SessionFacts, SignatureKnowledge, Try
    from kb.triage.model import KnownFix

Tries = dict[str, list[tuple["SessionFacts", "Try"]]]

_TRIES = 5


@click.command(short_help="Show the fixes of a signature, best first, with their evidence.")
@click.argument("signature", metavar="ID", default="", shell_complete=complete_names)
@with_option
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@click.pass_context
def command(ctx: click.Context, signature: str, versions: dict[str, str], as_json: bool) -> None:
    """Show the fixes of a signature, best first, with their evidence.

    Fixes are ranked by the lower bound of their success rate (Wilson, 95 %): how often a fix surely helps, after so
    many tries. Each says why it stands where it stands, how it is proven, what was tried together with it, where the
    failure came back, and when its evidence is old. Fixes for other versions than those given come last.

    \b
    Examples:
      kb fixes kb1-dm2yvgvqv2
      kb fixes kb1-dm2y --with vllm=0.33.0
      kb fixes kb1-dm2y --json | jq -r '.fixes[0].slug'

    Exit status: 0 shown; 64 there is no such signature, or none is named: then the newest are.
    """
    from kb.index.newest import newest_versions
    from kb.triage.fixes import known_fixes

    with ready_store(asked_home(ctx)) as store:
        known = named_signature(store, signature)
        newest = newest_versions(store.db, (name for fix in known.fixes for name in fix.versions))
        sessions = {name: facts for name in known.sessions if (facts := store.session(name))}
    offered = known_fixes(known.fixes, versions, newest)
    tries = _tries(known, sessions)
    if as_json:
        from kb.cli.output import print_json

        print_json(_as_json(known, offered, tries, versions))
        return
    for line in _lines(known, offered, tries):
        say(line)


def _tries(known: SignatureKnowledge, sessions: dict[str, SessionFacts]) -> Tries:
    """The tries of each fix on this signature, the newest session first."""
    found: Tries = {}
    for session in sessions.values():
        for tried in session.tries:
            if tried.signature_id == known.signature.id:
                found.setdefault(tried.fix, []).append((session, tried))
    return found


def _lines(known: SignatureKnowledge, offered: tuple[KnownFix, ...], tries: Tries) -> Iterator[str]:
    yield from wrap(f"{known.signature.id}  {one_line(known.signature.title)}", indent="  ", first="")
    cost = cost_words(known.attempt_seconds, known.attempts_timed)
    if cost:
        yield f"  costs {cost}"
    if not offered:
        yield from ("", "No fix was tried in any session yet.")
    for number, fix in enumerate(offered, 1):
        yield ""
        yield from _fix(number, fix, tries.get(fix.slug, []))


def _fix(number: int, fix: KnownFix, tries: list[tuple[SessionFacts, Try]]) -> Iterator[str]:
    head, *rest = wrap(
        f"{one_line(fix.slug)} ({fix.kind}){own_title(fix.slug, fix.title)}", indent="   ", first=f"{number}. "
    )
    helped = bool(fix.fixed or fix.progressed)
    yield paint(head, "green" if helped else "red" if fix.failed else "", bold=True)
    yield from rest
    yield from wrap(f"order: {one_line(fix.order)}", indent="   ")
    counts = outcome_words(fixed=fix.fixed, progressed=fix.progressed, failed=fix.failed, unverified=fix.unverified)
    dead = "dead end: " if fix.failed and not helped else ""
    yield from wrap(f"{dead}{counts}", indent="   ")
    for words in evidence_words(fix):
        yield from wrap(words, indent="   ")
    if fix.excluded:
        yield from (paint(line, "yellow") for line in wrap(f"not for this: {one_line(fix.excluded)}", indent="   "))
    if fix.retest:
        yield from wrap(f"retest: {one_line(fix.retest)}", indent="   ")
    for session, tried in tries[:_TRIES]:
        proof = f" ({tried.strength})" if tried.strength else ""
        then = f", then {tried.next_id}" if tried.next_id else ""
        text = f"{session.started[:10]} {session.id}: {tried.outcome}{proof}{then}: {one_line(tried.because)}"
        yield from wrap(text, indent="       ", first="     ")
    if len(tries) > _TRIES:
        yield f"     and {len(tries) - _TRIES} more; kb show {fix.slug}"


def _as_json(
    known: SignatureKnowledge, offered: tuple[KnownFix, ...], tries: Tries, versions: dict[str, str]
) -> dict[str, Any]:
    from kb.triage.as_json import fix_json

    return {
        "id": known.signature.id,
        "title": known.signature.title,
        "versions": versions,
        "attempt_seconds": known.attempt_seconds or 0,
        "attempts_timed": known.attempts_timed,
        "fixes": [
            {**fix_json(fix), "tries": [_try(session, tried) for session, tried in tries.get(fix.slug, [])]}
            for fix in offered
        ],
    }


def _try(session: SessionFacts, tried: Try) -> dict[str, Any]:
    return {
        "session": session.id,
        "started": session.started,
        "attempt": tried.attempt,
        "outcome": tried.outcome,
        "strength": tried.strength,
        "because": tried.because,
        "together": list(tried.together),
        "next": tried.next_id or None,
    }
