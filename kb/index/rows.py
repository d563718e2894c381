"""What the full text of the index says of a signature, a fix or a session."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from kb.knowledge.model import FixMade, Occurrence, SessionFacts, SignatureKnowledge

#: A signature's document shows this many of its occurrences, the newest first, and no document is longer.
_OCCURRENCES = 5
_LONGEST = 32_000


class Doc(NamedTuple):
    """One document of the full text. `proven` tells whether a fix helped."""

    kind: str
    name: str
    title: str
    proven: bool
    text: str


def signature_doc(known: SignatureKnowledge) -> Doc:
    """The document of a signature."""
    proven = any(fix.fixed or fix.progressed for fix in known.fixes)
    return _doc("signature", known.signature.id, known.signature.title, proven, _signature_text(known))


def fix_doc(made: Iterable[FixMade], *, proven: bool) -> Doc:
    """The document of a fix, as made in each session, the newest first; it is read no further than it has room."""
    rest = iter(made)
    newest = next(rest)
    return _doc("fix", newest.slug, newest.title, proven, _fix_text(chain((newest,), rest)))


def session_doc(session: SessionFacts) -> Doc:
    """The document of a session."""
    helped = any(tried.outcome in ("fixed", "progressed") for tried in session.tries)
    return _doc("session", session.id, session.title, helped, _session_text(session))


def _doc(kind: str, name: str, title: str, proven: bool, lines: Iterator[str]) -> Doc:
    text: list[str] = []
    room = _LONGEST
    while room > 0 and (line := next(lines, None)) is not None:
        text.append(line)
        room -= len(line) + 1
    return Doc(kind, storable(name), storable(title), proven, storable("\n".join(text)[:_LONGEST]))


def _signature_text(known: SignatureKnowledge) -> Iterator[str]:
    signature = known.signature
    yield signature.title
    yield signature.id
    yield f"{signature.type}: {signature.template}"
    for fix in known.fixes:
        yield f"{fix.slug} {fix.title}"
    yield " ".join([*known.components, *known.tags])
    shown: dict[str, None] = {}
    for _, occurrence in known.occurrences[:_OCCURRENCES]:
        for text in _occurrence_texts(occurrence):
            shown.update(dict.fromkeys(text.split("\n")))
    yield from shown


def _occurrence_texts(occurrence: Occurrence) -> Iterator[str]:
    """What people paste of a failure: its line, its message, its frames, the lines around it."""
    failure = occurrence.failure
    yield failure.text.strip()
    yield f"{failure.type}: {failure.message}"
    for frame in failure.frames:
        yield f"{frame.file} line {frame.line} in {frame.function} {frame.source}"
    yield from failure.notes
    yield occurrence.excerpt


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
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def dump_problems(problems: Iterable[tuple[str, int, str, str, str]]) -> str:
    """Problems as (path, line, code, message, hint) in JSON."""
    return json.dumps(list(problems))
