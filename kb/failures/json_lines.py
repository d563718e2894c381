"""Structured logs: one JSON object a line, with level, message and an escaped traceback in some field."""

from __future__ import annotations

import json
from collections.abc import Iterator

_LEVEL_KEYS = ("level", "levelname", "severity", "log.level", "lvl")
_TEXT_KEYS = ("message", "msg", "event", "log", "textPayload")
_TIME_KEYS = ("ts", "time", "timestamp", "@timestamp", "asctime")
_TRACE_KEYS = (
    "exc_info",
    "exception",
    "traceback",
    "stack_trace",
    "error.stack_trace",
    "stack",
    "stack_info",
    "exc_text",
)
_LEVELS = {"warn": "WARNING", "warning": "WARNING", "err": "ERROR", "error": "ERROR", "fatal": "CRITICAL"}
_LEVELS |= {"critical": "CRITICAL", "info": "INFO", "debug": "DEBUG", "notice": "INFO", "trace": "DEBUG"}
#: Numbers of pino and bunyan.
_LEVELS |= {"60": "CRITICAL", "50": "ERROR", "40": "WARNING", "30": "INFO", "20": "DEBUG", "10": "DEBUG"}

#: Longer objects are data, not log records; a hostile one must not cost a deep parse.
_LONGEST = 1 << 20


def unfold(line: str) -> Iterator[str]:
    """`line` itself, or, when it is a JSON record, its text and then its traceback as lines of their own."""
    if not line.startswith("{") or not line.rstrip().endswith("}") or len(line) > _LONGEST:
        yield line
        return
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        yield line
        return
    if not isinstance(record, dict):
        yield line
        return
    text = _first(record, _TEXT_KEYS)
    trace = _trace(record)
    if text is None and trace is None:
        yield line
        return
    level = _LEVELS.get(str(_first(record, _LEVEL_KEYS) or "").lower(), "")
    time = _first(record, _TIME_KEYS) or ""
    head = f"{level} {time[:10]} {time[11:19]} " if level and len(time) >= 19 else f"{level}:json:" if level else ""
    for index, part in enumerate((text or "").split("\n")):
        yield (head if index == 0 else "") + part.rstrip("\r")
    if trace:
        for part in trace.rstrip("\n").split("\n"):
            yield part.rstrip("\r")


def _first(record: dict[str, object], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = record.get(key)
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return str(value)
    return None


def _trace(record: dict[str, object]) -> str | None:
    found = _first(record, _TRACE_KEYS)
    if found is not None:
        return found if "\n" in found or ":" in found else None
    for key in ("error", "err", "exception"):
        inner = record.get(key)
        if isinstance(inner, dict):
            found = _first(inner, ("stack_trace", "stack", "traceback"))
            if found is not None:
                return "\n".join([found, *_causes(inner)])
    return None


def _causes(error: dict[str, object]) -> Iterator[str]:
    """The stacks of the causes nested in `error`, from the outer to the inner, as pino writes them in text."""
    for _ in range(8):
        inner = error.get("cause")
        if not isinstance(inner, dict):
            return
        stack = _first(inner, ("stack_trace", "stack"))
        if stack is not None:
            yield f"caused by: {stack}"
        error = inner
