"""The facts of a session as JSON and back, without loss.

Signatures and excerpts are written once and referred to by their place: many occurrences of a session share them.
Fields that hold their default are left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from kb.failures.model import Failure, Frame, Link
from kb.knowledge.model import FixMade, Occurrence, SessionFacts, Try
from kb.signature.model import Reason, Segment, Signature

_T = TypeVar("_T")
_Fields = Mapping[type, tuple[tuple[str, Any], ...]]

#: Of each type the fields with their defaults (MISSING where there is none).
_FIELDS: _Fields = {
    **{
        one: tuple((f.name, f.default) for f in fields(one))
        for one in (FixMade, Occurrence, SessionFacts, Try, Signature)
    },
    **{
        one: tuple((name, one._field_defaults.get(name, MISSING)) for name in one._fields)
        for one in (Failure, Frame, Link, Reason, Segment)
    },
}


def dump(facts: SessionFacts) -> str:
    """`facts` as one line of ASCII JSON; `load` gives an equal value back."""
    signatures: dict[Signature, int] = {}
    excerpts: dict[str, int] = {}
    row = _row(facts)
    row["occurrences"] = [
        {
            **_row(one),
            "signature": signatures.setdefault(one.signature, len(signatures)),
            "excerpt": excerpts.setdefault(one.excerpt, len(excerpts)),
        }
        for one in facts.occurrences
    ]
    row["signatures"] = [_row(one) for one in signatures]
    row["excerpts"] = list(excerpts)
    return json.dumps(row, separators=(",", ":"))


def load(text: str) -> SessionFacts:
    """The facts that `dump` wrote. Raises ValueError, KeyError or TypeError on any other text."""
    row = json.loads(text)
    signatures = [_signature(one) for one in row.pop("signatures")]
    excerpts = row.pop("excerpts")
    row["occurrences"] = tuple(_occurrence(one, signatures, excerpts) for one in row.get("occurrences", ()))
    row["fixes"] = tuple(_fix(one) for one in row.get("fixes", ()))
    row["tries"] = tuple(_with(Try, one, together=tuple) for one in row.get("tries", ()))
    return _with(SessionFacts, row, tags=tuple, attempts=tuple, attempt_seconds=tuple)


def _row(value: Any) -> dict[str, Any]:
    """The fields of a value that do not hold their default."""
    row: dict[str, Any] = {}
    for name, default in _FIELDS[type(value)]:
        held = getattr(value, name)
        if default is MISSING or held != default:
            row[name] = _plain(held)
    return row


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, tuple) and type(value) not in _FIELDS:
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return dict(value)
    return None if type(value) is Occurrence or type(value) is Signature else _row(value)


def _with(kind: Callable[..., _T], row: dict[str, Any], **converters: Callable[[Any], Any]) -> _T:
    """An instance of `kind` from its row, the named fields converted where present."""
    for name, convert in converters.items():
        if name in row:
            row[name] = convert(row[name])
    return kind(**row)


def _signature(row: dict[str, Any]) -> Signature:
    return _with(
        Signature,
        row,
        segments=lambda rows: tuple(Segment(**one) for one in rows),
        parts=tuple,
        reasons=lambda rows: tuple(Reason(**one) for one in rows),
    )


def _failure(row: dict[str, Any]) -> Failure:
    return _with(
        Failure,
        row,
        frames=lambda rows: tuple(Frame(**one) for one in rows),
        notes=tuple,
        links=lambda rows: tuple(Link(**one) for one in rows),
        spans=lambda rows: tuple((first, last) for first, last in rows),
        because=tuple,
    )


def _occurrence(row: dict[str, Any], signatures: list[Signature], excerpts: list[str]) -> Occurrence:
    row["signature"] = signatures[row["signature"]]
    row["excerpt"] = excerpts[row["excerpt"]]
    return _with(Occurrence, row, failure=_failure)


def _fix(row: dict[str, Any]) -> FixMade:
    return _with(FixMade, row, blocks=lambda rows: tuple((language, body) for language, body in rows))
