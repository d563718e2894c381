"""Printing for programs: JSON that is safe in a terminal too."""

from __future__ import annotations

import json
import re
from typing import Any

import click

_SURROGATE = re.compile("[\ud800-\udfff]")


def json_text(value: Any, *, indent: int | None = 2) -> str:
    """`value` as ASCII JSON: valid for every parser, and without a control character for a terminal."""
    return json.dumps(_clean(value), indent=indent).replace("\x7f", "\\u007f")


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print `value` as JSON on standard output; `indent=None` gives one line."""
    click.echo(json_text(value, indent=indent))


def _clean(value: Any) -> Any:
    """`value` without lone surrogates, which JSON cannot carry."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value
