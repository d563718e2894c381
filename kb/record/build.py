"""From attribute lists and parts to values of the model, with every wrong part named."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from kb.record.attributes import read_attributes
from kb.record.model import Confidence, FixKind, Resolution
from kb.record.problems import Problems
from kb.record.texts import shown
from kb.record.values import APPLIES, DURATION, INSTANT, INTEGER, SPAN, TEXT, Form

M = TypeVar("M", bound=BaseModel)

#: The attributes of each step kind, of an attempt and of a fix's block: (name, field of the model, form of the value).
#: The order is the one they are written in.
ATTRIBUTES: Mapping[str, tuple[tuple[str, str, Form], ...]] = {
    "attempt": (("reruns", "reruns", INTEGER),),
    "console": (
        ("exit", "exit", INTEGER),
        ("signal", "signal", TEXT),
        ("duration", "duration", DURATION),
        ("cwd", "cwd", TEXT),
        ("started", "started", INSTANT),
    ),
    "log": (("source", "source", TEXT), ("lines", "lines", SPAN), ("sha256", "sha256", TEXT)),
    "diagnosis": (("confidence", "confidence", TEXT), ("rules-out", "rules_out", TEXT)),
    "fix": (("kind", "kind", TEXT), ("target", "target", TEXT), ("applies", "applies", APPLIES)),
    "failure": (("observed", "observed", TEXT), ("expected", "expected", TEXT)),
    "block": (),
    "note": (),
    "run": (),
    "resolution": (),
}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "kind": get_args(FixKind),
    "confidence": get_args(Confidence),
    "resolution": get_args(Resolution),
}
_HINTS = {"block": "a run that shows whether a fix helped begins the next attempt"}


def read_values(
    kind: str, text: str, at: tuple[int, int], problems: Problems, *, flags: Iterable[str] = ()
) -> dict[str, Any]:
    """The typed values of the attribute list `text` of a step of this `kind`, by field of the model.

    `at` is the 1-based line and column of the list; `flags` are further names, whose values are left as read.
    What is wrong with an attribute is noted, and the attribute left out.
    """
    if not text:
        return {}
    line, column = at
    if not text.startswith("{"):
        hint = 'write {key=word key="a JSON string"}'
        problems.add(line, "attribute-syntax", f"column {column}: expected attributes, found {shown(text)}", hint)
        return {}
    read = read_attributes(text, column)
    for fault in read.faults:
        problems.add(line, fault.code, f"column {fault.column}: {fault.message}", fault.hint)
    forms = {name: (field, form) for name, field, form in ATTRIBUTES[kind]}
    values: dict[str, Any] = {}
    for name, value in read.values.items():
        where = f"column {read.columns[name]}: "
        if name in flags:
            values[name] = value
        elif name not in forms:
            problems.add(line, "unknown-attribute", f"{where}unknown attribute {name}", _known(kind, name, flags))
        elif value is None:
            problems.add(line, "value", f"{where}{name} needs a value", f"write {name}=…")
        else:
            field, form = forms[name]
            try:
                values[field] = form.read(value)
            except (ValueError, OverflowError) as error:
                problems.add(line, "value", f"{where}{name} is {shown(value)}", f"write {error}")
    return values


def write_values(kind: str, value: BaseModel) -> list[tuple[str, str | None]]:
    """The attributes of `value`, a step of this `kind`, as `write_attributes` takes them; what is None is left out."""
    fields = ((name, getattr(value, field), form) for name, field, form in ATTRIBUTES[kind])
    return [(name, form.write(content)) for name, content, form in fields if content is not None]


def _known(kind: str, name: str, flags: Iterable[str]) -> str:
    names = [*(known for known, _, _ in ATTRIBUTES[kind]), *flags]
    if kind in _HINTS:
        return _HINTS[kind]
    return did_you_mean(name, names) + ("known: " + ", ".join(names) if names else f"a {kind} has none")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A guess at which of the `known` words was meant, or ""."""
    words = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word[:60].lower(), list(words), n=1, cutoff=0.7)
    return f"did you mean {words[near[0]]}? " if near else ""


def build(
    model: type[M], values: Mapping[str, Any], lines: Mapping[str, int], problems: Problems, *, word: str = "attribute"
) -> M | None:
    """`model` made of `values`; a value that is wrong is noted at its line of `lines` ("" is the default) and left out.

    A value without which there is no model is noted as missing, unless it has a line: then it was noted before.
    None when the model cannot do without what was left out; `word` is what a value is called.
    """
    values = dict(values)
    noted: set[str] = set()
    for _ in range(2):
        try:
            return model(**values)
        except ValidationError as error:
            for found in error.errors(include_url=False, include_context=False):
                field = str(found["loc"][0]) if found["loc"] else ""
                line = lines.get(field, lines[""])
                if field in values:
                    noted.add(field)
                    problems.add(line, "value", *_wrong(field, found["type"], found["msg"], values.pop(field)))
                elif found["type"] == "missing" and field not in noted and field not in lines:
                    noted.add(field)
                    problems.add(line, f"missing-{word}", f"the {word} {field} is missing", _choices(field))
    return None


def _wrong(field: str, kind: str, message: str, value: object) -> tuple[str, str]:
    near = did_you_mean(str(value), _CHOICES[field]) if field in _CHOICES else ""
    hint = near + _choices(field) if kind == "literal_error" else message.removeprefix("Value error, ")
    return f"{field.replace('_', '-')} is {shown(str(value))}", hint


def _choices(field: str) -> str:
    return "one of: " + ", ".join(_CHOICES[field]) if field in _CHOICES else ""
