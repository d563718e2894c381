"""JSON that people read: indented as Python's `json` indents it, which does so without its fast part."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

_STEP = "  "


def json_text(value: Any) -> str:
    """`value` as `json.dumps` writes it in ASCII with an indent of two; the names in objects are texts."""
    return _written(value, "\n")


def _written(value: Any, line: str) -> str:
    """A value in what is indented by `line`, which begins with the line feed."""
    kind = type(value)
    if kind is str:
        return quoted(value)
    inner = line + _STEP
    if kind is dict and value:
        each = [f"{quoted(name)}: {_written(one, inner)}" for name, one in value.items()]
        return f"{{{inner}{f',{inner}'.join(each)}{line}}}"
    if kind is list and value:
        return f"[{inner}{f',{inner}'.join([_written(one, inner) for one in value])}{line}]"
    return json.dumps(value)
