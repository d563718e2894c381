"""Redaction of all that a session stores, with the same placeholder for the same value in all of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from kb.home import Home

Redact = Callable[[str], str]


def numbers(home: Home, id_: str) -> Path:
    """The file of the numbers of a session's placeholders."""
    return home.root / ".kb" / "numbers" / f"{id_}.jsonl"


@cache
def redactor(home: Home, id_: str) -> Redact:
    """The function that takes secrets out of a text of the session `id_`, by the policy of `home`; one per process."""
    from kb.capture.redaction.redactor import session_redactor

    return session_redactor(home, numbers(home, id_)).text


def rename_numbers(home: Home, old: str, new: str) -> None:
    """Give the numbers that were used for `old` to the session `new`."""
    with suppress(FileNotFoundError):
        numbers(home, old).replace(numbers(home, new))


def redacted(value: Any, redact: Redact) -> Any:
    """`value`, with every text in its lists and in the values of its mappings redacted."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redacted(item, redact) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(redacted(item, redact) for item in value)
    return value


def line_redactor(home: Home, id_: str) -> Redact:
    """Like `redactor`, for the finished lines of one text in their order: what takes several lines is followed."""
    from kb.capture.redaction.redactor import session_redactor

    return session_redactor(home, numbers(home, id_)).line


def forget_numbers(home: Home, id_: str) -> None:
    """The session is finished: the personal values behind its placeholders are forgotten."""
    numbers(home, id_).unlink(missing_ok=True)
