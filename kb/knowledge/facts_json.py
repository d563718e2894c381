"""The facts of a session as text and back, without loss.

Two lines of JSON, their values in the order of their fields, and behind them the long texts as they are; the second
line is what was seen. Signatures and excerpts are written once and referred to by their place: many occurrences of a
session share them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from operator import attrgetter
from typing import Any

from kb.failures.model import Failure, Frame, Link
from kb.knowledge.model import FixMade, Occurrence, SessionFacts, Try
from kb.signature.model import Reason, Segment, Signature

#: As json.dumps does, which makes an encoder for each call.
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def _values(kind: type, *, without: Iterable[str] = ()) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of an instance of the dataclass `kind`, in the order of its fields."""
    return attrgetter(*(one.name for one in fields(kind) if one.name not in without))


_OF_FACTS = _values(SessionFacts, without=("components", "environment", "occurrences", "fixes", "tries", "text"))
_OF_OCCURRENCE = _values(Occurrence, without=("signature", "excerpt"))
_PARTS = Signature._fields.index("parts")
_OF_FIX, _OF_TRY = _values(FixMade), _values(Try)


def dump(facts: SessionFacts) -> str:
    """`facts` as text; `load` gives an equal value back, also when more text follows."""
    signatures: dict[Signature, int] = {}
    excerpts: dict[str, int] = {}
    occurrences = [
        (
            signatures.setdefault(one.signature, len(signatures)),
            excerpts.setdefault(one.excerpt, len(excerpts)),
            *_OF_OCCURRENCE(one),
        )
        for one in facts.occurrences
    ]
    row = (
        _OF_FACTS(facts),
        dict(facts.components),
        dict(facts.environment),
        [_OF_FIX(one) for one in facts.fixes],
        [_OF_TRY(one) for one in facts.tries],
        [*map(len, excerpts), len(facts.text)],
    )
    seen = (occurrences, list(map(_signed, signatures)))
    return "".join((_ENCODE(row), "\n", _ENCODE(seen), "\n", *excerpts, facts.text))


def load(text: str, *, seen: bool = True) -> SessionFacts:
    """The facts that `dump` wrote. Raises ValueError, IndexError or TypeError on any other text.

    Without `seen`, what was seen is left out: it takes most of the time.
    """
    end = text.index("\n")
    own, components, environment, fixes, tries, lengths = json.loads(text[:end])
    start = end + 1
    end = text.index("\n", start)
    occurrences, signed = json.loads(text[start:end]) if seen else ([], [])
    texts = []
    at = end + 1
    for length in lengths:
        texts.append(text[at : at + length])
        at += length
    signatures = [_signature(*row) for row in signed]
    id_, title, path, started, ended, resolution, tags, summary, attempts, seconds = own
    return SessionFacts(
        *(id_, title, path, started, ended, resolution, components, environment),
        tags=tuple(tags),
        summary=summary,
        attempts=tuple(attempts),
        occurrences=tuple(
            Occurrence(signatures[signature], _failure(failure), attempt, role, primary, texts[excerpt], *rest)
            for signature, excerpt, failure, attempt, role, primary, *rest in occurrences
        ),
        fixes=tuple(map(_fix, fixes)),
        tries=tuple(map(_try, tries)),
        attempt_seconds=tuple(seconds),
        text=texts[-1],
    )


def _signed(signature: Signature) -> tuple[Any, ...]:
    """Its values; most are signed by type and template, which stand there already."""
    if signature.parts != (signature.type, signature.template):
        return signature
    return (*signature[:_PARTS], None, *signature[_PARTS + 1 :])


def _fix(row: list[Any]) -> FixMade:
    slug, kind, title, attempt, target, applies, prose, blocks = row
    held = tuple((language, body) for language, body in blocks)
    return FixMade(slug, kind, title, attempt, target, applies, prose, held)


def _try(row: list[Any]) -> Try:
    id_, fix, attempt, outcome, strength, because, together, next_id = row
    return Try(id_, fix, attempt, outcome, strength, because, tuple(together), next_id)


def _signature(
    id_: str,
    title: str,
    type_: str,
    template: str,
    segments: list[list[str]],
    pattern: str,
    anchor: str,
    context: str,
    variant: str,
    parts: list[str] | None,
    reasons: list[list[str]],
    signed: str,
) -> Signature:
    return Signature(
        id_,
        title,
        type_,
        template,
        tuple(Segment(*one) for one in segments),
        pattern,
        anchor,
        context,
        variant,
        (type_, template) if parts is None else tuple(parts),
        tuple(Reason(*one) for one in reasons),
        signed,
    )


def _failure(row: list[Any]) -> Failure:
    failure = Failure(*row)
    return failure._replace(
        frames=tuple(Frame(*one) for one in failure.frames),
        notes=tuple(failure.notes),
        links=tuple(Link(*one) for one in failure.links),
        because=tuple(failure.because),
        spans=tuple((first, last) for first, last in failure.spans),
    )
