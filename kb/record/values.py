"""How typed values stand in a record: whole numbers, durations, times and line spans, as text and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from kb.record.model import Span

_INTEGER = re.compile(r"-?[0-9]{1,12}")
_DURATION = re.compile(
    r"(?:([0-9]{1,6})d)?(?:([0-9]{1,8})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,10})(?:\.([0-9]{1,6}))?s)?(?:([0-9]{1,9})ms)?"
)
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_SPAN = re.compile(r"([0-9]{1,12})(?:-([0-9]{1,12}))?")


_COMPONENT = re.compile(r"[A-Za-z][\w.-]*")
_CLAUSE = re.compile(r"[ \t]*(?:===?|!=|<=|>=|~=|<|>)[ \t]*[vV]?[0-9][\w.+*!-]*")
_BETWEEN = re.compile(r"[ \t]*[,;]?[ \t]*")


class Form(NamedTuple):
    """A type of value as text: `read` raises ValueError with what would be right; `write` gives its one form."""

    read: Callable[[str], Any]
    write: Callable[[Any], str]


def read_integer(text: str) -> int:
    """The whole number `text` is."""
    if not _INTEGER.fullmatch(text):
        raise ValueError("a whole number, such as 1 or -9")
    return int(text)


def read_duration(text: str) -> timedelta:
    """The duration `text` is: days, hours, minutes, seconds and milliseconds, any of them left out."""
    match = _DURATION.fullmatch(text)
    if not match or not text:
        raise ValueError("a duration, such as 45s, 3m10s, 1h30m, 0.25s or 2d")
    days, hours, minutes, seconds, fraction, milliseconds = match.groups()
    return timedelta(
        days=int(days or 0),
        hours=int(hours or 0),
        minutes=int(minutes or 0),
        seconds=int(seconds or 0),
        milliseconds=int(milliseconds or 0),
        microseconds=int((fraction or "").ljust(6, "0")),
    )


def write_duration(duration: timedelta) -> str:
    """`duration` as days, hours, minutes and seconds without the zero ones: `3m10s`."""
    minutes, seconds = divmod(duration.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{duration.microseconds:06d}".rstrip("0") if duration.microseconds else ""
    parts = [(duration.days, "d"), (hours, "h"), (minutes, "m")]
    text = "".join(f"{count}{unit}" for count, unit in parts if count)
    return f"{text}{seconds}{fraction}s" if seconds or fraction or not text else text


def read_instant(text: str) -> datetime:
    """The time `text` is, in UTC."""
    if _INSTANT.fullmatch(text):
        try:
            return datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError):
            pass
    raise ValueError("a time with its zone, such as 2026-02-22T15:10:00Z or 2026-02-22T16:10:00+01:00")


def write_instant(moment: datetime) -> str:
    """`moment` as ISO 8601 in UTC, with `Z`."""
    text = moment.astimezone(UTC).replace(tzinfo=None).isoformat()
    return (text.rstrip("0") if moment.microsecond else text) + "Z"


def read_span(text: str) -> Span:
    """The lines `text` names: `211-240`, or one line."""
    match = _SPAN.fullmatch(text)
    if match:
        first, last = int(match[1]), int(match[2] or match[1])
        if 1 <= first <= last:
            return Span(first=first, last=last)
    raise ValueError("lines counted from 1, such as 211-240, or one line, such as 7")


def write_span(span: Span) -> str:
    """`span` as `first-last`, or as one number."""
    return str(span.first) if span.first == span.last else f"{span.first}-{span.last}"


def read_applies(text: str) -> str:
    """`text`, which must be components, each with version clauses: `vllm>=0.15,<0.16; torch==2.6.0`."""
    at = len(text) - len(text.lstrip(" \t,;"))
    while at < len(text) or not text.strip(" \t,;"):
        component = _COMPONENT.match(text, at)
        clause = _CLAUSE.match(text, component.end()) if component else None
        if clause is None:
            raise ValueError('components with versions, such as "vllm>=0.15,<0.16" or "torch==2.6.0; python>=3.12"')
        while clause is not None:
            between = _BETWEEN.match(text, clause.end())
            at = between.end() if between else clause.end()
            if at == clause.end() < len(text):
                raise ValueError('a comma or a space between the parts, such as "vllm>=0.15,<0.16 torch==2.6.0"')
            clause = _CLAUSE.match(text, at)
    return text


TEXT = Form(str, str)
APPLIES = Form(read_applies, str)
INTEGER = Form(read_integer, str)
DURATION = Form(read_duration, write_duration)
INSTANT = Form(read_instant, write_instant)
SPAN = Form(read_span, write_span)
