"""What the full text of the index says of a signature, a fix or a session."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from kb.index.facets import Facets, facet_words, shared_words
from kb.knowledge.model import FixMade, Occurrence, SessionFacts, SignatureKnowledge
from kb.knowledge.named import named_components

#: A signature's document shows this many of its occurrences and sessions, the newest first; none is longer than that.
_OCCURRENCES = 5
_LONGEST = 32_000
#: Lines of an occurrence's evidence that it shows, before the decisive one and from it on.
_ABOVE = 30
_BELOW = 10
#: Of a fix that many sessions made, so many of them, the newest, say what it can be found by.
_LOOKED_AT = 50


class Doc(NamedTuple):
    """One document of the full text.

    `proven` tells whether a fix helped, `last` is the ISO date of its newest evidence, `seen` in how many sessions it
    is, `heads` the titles of what belongs to it, `facets` the words that filters ask for.
    """

    kind: str
    name: str
    title: str
    proven: bool
    last: str
    seen: int
    heads: str
    facets: str
    text: str


def signature_doc(known: SignatureKnowledge, sessions: Mapping[str, SessionFacts]) -> Doc:
    """The document of a signature; `sessions` holds those that it occurs in."""
    helped = any(fix.fixed or fix.progressed for fix in known.fixes)
    has = {"fix": helped, "dead-end": bool(known.dead_ends), "next": bool(known.next)}
    seen_in = [sessions[key] for key in known.sessions]
    primary_in = {session for session, occurrence in known.occurrences if occurrence.primary}
    titles = [session.title for session in seen_in if session.id in primary_in]
    heads = (*titles[:_OCCURRENCES], *(fix.title for fix in known.fixes[:_OCCURRENCES]))
    facets = Facets(
        "signature",
        known.components,
        known.tags,
        tuple(dict.fromkeys(session.resolution for session in seen_in)),
        tuple(what for what, holds in has.items() if holds),
        known.last_seen[:10],
        named_components(known.components, (one.failure for _, one in known.occurrences[:_OCCURRENCES])),
    )
    lines = _signature_text(known, seen_in[:_OCCURRENCES])
    return _doc(known.signature.id, known.signature.title, facets, lines, heads=heads, seen=len(seen_in))


def fix_doc(made: Iterable[tuple[SessionFacts, FixMade]], *, proven: bool, seen: int) -> Doc:
    """The document of a fix, as made in each session, the newest first; only the newest are looked at."""
    looked_at = list(islice(made, _LOOKED_AT))
    newest = looked_at[0][1]
    components: dict[str, tuple[str, ...]] = {}
    for session, _ in looked_at:
        for name, version in session.components.items():
            components[name] = (*components.get(name, ()), version)
    failed = any(
        one.fix == newest.slug and one.outcome == "failed" for session, _ in looked_at for one in session.tries
    )
    facets = Facets(
        "fix",
        components,
        tuple(dict.fromkeys(tag for session, _ in looked_at for tag in session.tags)),
        tuple(dict.fromkeys(session.resolution for session, _ in looked_at)),
        ("fix",) if proven else ("dead-end",) if failed else (),
        max(map(_last_day, (session for session, _ in looked_at))),
    )
    lines = _fix_text(fix for _, fix in looked_at)
    return _doc(newest.slug, newest.title, facets, lines, seen=seen)


def session_doc(session: SessionFacts) -> Doc:
    """The document of a session."""
    return _doc(session.id, session.title, _facets_of(session), _session_text(session))


def shared_facets(session: SessionFacts) -> str:
    """The words that filters ask for, as far as the documents that come from this session alone have them all."""
    return shared_words(_facets_of(session))


def _facets_of(session: SessionFacts) -> Facets:
    outcomes = {one.outcome for one in session.tries}
    has = {
        "fix": bool(outcomes & {"fixed", "progressed"}),
        "dead-end": "failed" in outcomes,
        "next": "progressed" in outcomes,
    }
    return Facets(
        "session",
        {name: (version,) for name, version in session.components.items()},
        session.tags,
        (session.resolution,),
        tuple(what for what, holds in has.items() if holds),
        _last_day(session),
    )


def _last_day(session: SessionFacts) -> str:
    return (session.ended or session.started)[:10]


def _doc(
    name: str, title: str, facets: Facets, lines: Iterator[str], *, heads: Iterable[str] = (), seen: int = 1
) -> Doc:
    return Doc(
        facets.kind,
        storable(name),
        storable(title),
        "fix" in facets.has,
        facets.last,
        seen,
        storable("\n".join(heads)),
        facet_words(facets),
        storable("\n".join(lines)[:_LONGEST]),
    )


def _signature_text(known: SignatureKnowledge, sessions: Iterable[SessionFacts]) -> Iterator[str]:
    signature = known.signature
    yield signature.title
    yield signature.id
    yield f"{signature.type}: {signature.template}"
    for merged in known.merged:
        yield f"{merged.signed} {merged.type}: {merged.template}"
    for fix in known.fixes:
        yield f"{fix.slug} {fix.title}"
    yield " ".join([*(f"{name} {' '.join(versions)}" for name, versions in known.components.items()), *known.tags])
    yield from (session.title for session in sessions)
    seen_as = (text for _, occurrence in known.occurrences[:_OCCURRENCES] for text in _occurrence_texts(occurrence))
    yield from dict.fromkeys("\n".join(seen_as).split("\n"))


def _occurrence_texts(occurrence: Occurrence) -> Iterator[str]:
    """What people paste of a failure: its line, its message, its frames, the lines around it."""
    failure = occurrence.failure
    yield failure.text.strip()
    yield f"{failure.type}: {failure.message}"
    near = _near(occurrence)
    for frame in failure.frames:
        if frame.file not in near or frame.function not in near:
            yield f"{frame.file} line {frame.line} in {frame.function} {frame.source}"
    yield from failure.notes
    yield near


def _near(occurrence: Occurrence) -> str:
    """The lines of the evidence around the decisive one: of a log, those far from it are about something else."""
    lines = occurrence.excerpt.split("\n")
    return "\n".join(lines[max(occurrence.decisive - _ABOVE, 0) : occurrence.decisive + _BELOW])


def _fix_text(made: Iterable[FixMade]) -> Iterator[str]:
    shown: set[str] = {""}
    for fix in made:
        texts = (fix.slug, fix.title, fix.kind, fix.target, fix.applies, fix.prose, *(body for _, body in fix.blocks))
        for text in texts:
            if text not in shown:
                shown.add(text)
                yield text


def _session_text(session: SessionFacts) -> Iterator[str]:
    yield session.title
    yield session.id
    yield " ".join([*session.tags, session.resolution])
    yield " ".join(f"{name} {value}" for name, value in {**session.components, **session.environment}.items())
    yield session.text


def storable(text: str) -> str:
    """`text` without lone surrogates and NUL, which SQLite cannot hold or would cut at."""
    if "\0" not in text and text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def dump_problems(problems: Iterable[tuple[str, int, str, str, str]]) -> str:
    """Problems as (path, line, code, message, hint) in JSON."""
    return json.dumps(told) if (told := list(problems)) else "[]"
