"""Signatures, sessions and fixes for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from kb.cli.fix_text import cost_words, evidence_words, outcome_words
from kb.cli.terminal import one_line, own_title, paint, verbatim, visible, wrap
from kb.knowledge.model import Knowledge, RankedFix, SessionFacts, SignatureKnowledge, Try

_EXCERPT_LINES = 12
#: What is copied from here rather than read.
_VERBATIM = frozenset({"type", "template", "pattern", "target", "file"})


def shown_lines(knowledge: Knowledge, kind: str, name: str) -> Iterator[str]:
    """The lines of `kb show` for the `kind` ("signature", "session" or "fix") of that name."""
    shows: dict[str, Callable[[Knowledge, str], Iterator[str]]] = {
        "signature": _signature,
        "session": _session,
        "fix": _fix,
    }
    return shows[kind](knowledge, name)


def _signature(knowledge: Knowledge, name: str) -> Iterator[str]:
    known = knowledge.signatures[name]
    signature = known.signature
    yield paint(f"signature {signature.id}", bold=True)
    yield from wrap(one_line(signature.title), indent="  ")
    yield ""
    yield from _rows(
        {
            "role": known.role + (", declared by people" if known.declared else ""),
            "type": one_line(signature.type),
            "template": one_line(signature.template),
            "pattern": one_line(signature.pattern),
            "seen": f"{_days(known.first_seen, known.last_seen)}, {_count(len(known.sessions), 'session')}",
            "with": _versions(known.components),
            "costs": cost_words(known.attempt_seconds, known.attempts_timed),
            "also": ", ".join(one.signed for one in known.merged if one.signed != signature.id),
        }
    )
    yield from _evidence(known)
    yield from _fixes(known)
    yield from _chains("What comes next", [(c.fix, c.after) for c in known.next], knowledge)
    yield from _chains("What came before", [(c.fix, c.before) for c in known.previous], knowledge)
    yield from ("", paint("Sessions", bold=True))
    for session in known.sessions:
        yield from wrap(f"{session}  {_session_title(knowledge, session)}", indent="    ", first="  ")


def _chains(label: str, chains: list[tuple[str, str]], knowledge: Knowledge) -> Iterator[str]:
    """The fixes that lead to or from other signatures."""
    if chains:
        yield from ("", paint(label, bold=True))
    for fix, other in chains:
        text = f"{other}  {_title(knowledge, other)} (by {one_line(fix)})"
        yield from wrap(text, indent="    ", first="  ", lines=3)


def _evidence(known: SignatureKnowledge) -> Iterator[str]:
    """The newest excerpt, the decisive line in its middle."""
    if not known.occurrences:
        return
    session, occurrence = known.occurrences[0]
    lines = occurrence.excerpt.splitlines()
    if not lines:
        return
    start = max(0, min(occurrence.decisive - _EXCERPT_LINES // 2, len(lines) - _EXCERPT_LINES))
    yield from ("", paint("Evidence", bold=True) + f" (attempt {occurrence.attempt} of {session})")
    for number, line in enumerate(lines[start : start + _EXCERPT_LINES], start):
        marker = "> " if number == occurrence.decisive else "  "
        shown = verbatim(visible(line), indent="    ", first=f"  {marker}", lines=2)
        yield from (paint(row, "red") if number == occurrence.decisive else row for row in shown)


def _fixes(known: SignatureKnowledge) -> Iterator[str]:
    dead = {fix.slug for fix in known.dead_ends}
    for label, fixes in (
        ("Fixes", [fix for fix in known.fixes if fix.slug not in dead]),
        ("Dead ends", [fix for fix in known.fixes if fix.slug in dead]),
    ):
        if not fixes:
            continue
        yield from ("", paint(label, bold=True))
        for fix in fixes:
            yield from _ranked(fix)


def _ranked(fix: RankedFix) -> Iterator[str]:
    yield from wrap(f"{fix.slug} ({fix.kind}){own_title(fix.slug, fix.title)}", indent="    ", first="  ")
    said = outcome_words(fixed=fix.fixed, progressed=fix.progressed, failed=fix.failed, unverified=fix.unverified)
    yield from wrap(said, indent="    ")
    for words in evidence_words(fix):
        yield from wrap(words, indent="    ")
    if fix.applies:
        yield from wrap(f"applies to {one_line(fix.applies)}", indent="    ")


def _session(knowledge: Knowledge, name: str) -> Iterator[str]:
    facts = knowledge.sessions[name]
    yield paint(f"session {facts.id}", bold=True)
    yield from wrap(one_line(facts.title), indent="  ")
    yield ""
    yield from _rows(
        {
            "resolution": facts.resolution,
            "started": facts.started,
            "ended": facts.ended,
            "components": ", ".join(f"{key} {value}" for key, value in facts.components.items()),
            "environment": ", ".join(f"{key} {value}" for key, value in facts.environment.items()),
            "tags": ", ".join(facts.tags),
            "file": facts.path,
        }
    )
    if facts.summary:
        yield ""
        yield from wrap(_prose(facts.summary), indent="  ")
    for number, title in enumerate(facts.attempts, 1):
        yield from ("", paint(f"Attempt {number}", bold=True) + f": {one_line(title)}")
        yield from _attempt(facts, number)


def _attempt(facts: SessionFacts, number: int) -> Iterator[str]:
    """What failed in one attempt, and what the fixes at its end came to."""
    here = [occurrence for occurrence in facts.occurrences if occurrence.attempt == number]
    for occurrence in here:
        if occurrence.primary:
            text = f"{occurrence.signature.id}  {one_line(occurrence.signature.title)}"
            yield from (paint(row, "red") for row in wrap(text, indent="    ", first="  failed with ", lines=3))
    others = {occurrence.signature.id for occurrence in here} - {o.signature.id for o in here if o.primary}
    if others:
        yield from wrap(f"beside it {_count(len(others), 'other failure')}: {', '.join(sorted(others))}", indent="  ")
    for fix in facts.fixes:
        if fix.attempt == number:
            yield from wrap(f"fix {fix.slug} ({fix.kind})", indent="    ", first="  ")
            for tried in facts.tries:
                if tried.fix == fix.slug and tried.attempt == number:
                    yield from wrap(_outcome(tried), indent="      ", first="    ")


def _outcome(tried: Try) -> str:
    proof = f" ({tried.strength})" if tried.strength else ""
    then = f", then {tried.next_id}" if tried.next_id else ""
    return f"{tried.outcome}{proof} for {tried.signature_id}{then}: {one_line(tried.because)}"


def _fix(knowledge: Knowledge, name: str) -> Iterator[str]:
    made = [(facts, fix) for facts in knowledge.sessions.values() for fix in facts.fixes if fix.slug == name]
    newest = made[0][1]
    yield paint(f"fix {name}", bold=True)
    yield ""
    yield from _rows(
        {
            "kind": newest.kind,
            "title": own_title(name, newest.title).removeprefix(": "),
            "target": one_line(newest.target),
            "applies": one_line(newest.applies),
            "made in": ", ".join(dict.fromkeys(facts.id for facts, _ in made)),
        }
    )
    yield from ("", paint("Outcomes", bold=True))
    for facts, fix in made:
        for tried in facts.tries:
            if tried.fix == name and tried.attempt == fix.attempt:
                yield from wrap(f"{facts.id}: {_outcome(tried)}", indent="    ", first="  ")
    if newest.prose or newest.blocks:
        yield from ("", paint("As made in", bold=True) + f" {made[0][0].id}")
    if newest.prose:
        yield from wrap(_prose(newest.prose), indent="  ")
    for _, body in newest.blocks:
        yield ""
        # Not wrapped: a patch or a command is there to be copied.
        yield from (f"  {visible(line)}" for line in body.splitlines())


def _rows(rows: Mapping[str, str]) -> Iterator[str]:
    """Two aligned columns; rows without a value are left out."""
    shown = {label: value for label, value in rows.items() if value}
    column = 2 + max(map(len, shown), default=0) + 2
    for label, value in shown.items():
        shows = verbatim if label in _VERBATIM else wrap
        yield from shows(one_line(value), indent=" " * column, first=f"  {label:<{column - 2}}")


def _prose(text: str) -> str:
    """Prose without the line ends that its source happened to have."""
    return visible(" ".join(text.split()))


def _versions(components: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{name} {', '.join(versions)}" for name, versions in components.items())


def _title(knowledge: Knowledge, signature_id: str) -> str:
    known = knowledge.signatures.get(signature_id)
    return one_line(known.signature.title) if known else ""


def _session_title(knowledge: Knowledge, session: str) -> str:
    facts = knowledge.sessions.get(session)
    return one_line(facts.title) if facts else ""


def _days(first: str, last: str) -> str:
    first, last = first[:10], last[:10]
    return first if first == last else f"{first} to {last}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
