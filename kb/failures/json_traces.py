"""The traceback in a JSON record: one string, a list of lines, or taken apart into frames and put together again."""

from __future__ import annotations

from collections.abc import Iterator

_TRACE_KEYS = (
    "exc_info",
    "exception",
    "traceback",
    "stack_trace",
    "error.stack_trace",
    "stack",
    "stacktrace",
    "stackTrace",
    "exc_text",
    "full_message",
    "@x",
    "thrown.extendedStackTrace",
    "error.stack",
    "err.stack",
    "exception.stacktrace",
    "exception.stack_trace",
    "stack_info",
)
_HEAD = "Traceback (most recent call last):\n"
_ERRORS = ("error", "err", "exception", "context.exception", "thrown")
_FRAMES = 200
_CAUSES = 8


def first(record: dict[str, object], keys: tuple[str, ...]) -> str | None:
    """The value of the first of `keys` that `record` has, as text; a dotted key is looked for flat, then nested."""
    for key in keys:
        value = _at(record, key)
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return str(value)
    return None


def trace_of(record: dict[str, object]) -> str | None:
    """The traceback of `record` as its language prints it, or None."""
    for key in _TRACE_KEYS:
        value = _at(record, key)
        if isinstance(value, list):
            value = _from_list(value, record)
        if isinstance(value, str) and ("\n" in value.strip() or ":" in value):
            return "\n".join([_headed(value, record), *_inner_causes(record)])
    for key in _ERRORS:
        inner = _at(record, key)
        if isinstance(inner, dict):
            found = _of_error(inner)
            if found is not None:
                return found
    return None


def output_of(record: dict[str, object]) -> str | None:
    """The output of a command, in a field of any name, when a traceback stands in it; or None."""
    return next((value for value in record.values() if isinstance(value, str) and _HEAD in value), None)


def _at(record: dict[str, object], key: str) -> object:
    if key in record or "." not in key:
        return record.get(key)
    value: object = record
    for part in key.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def _inner_causes(record: dict[str, object]) -> Iterator[str]:
    for key in _ERRORS:
        inner = _at(record, key)
        if isinstance(inner, dict):
            yield from _causes(inner)


def _of_error(error: dict[str, object]) -> str | None:
    found = first(error, ("stack_trace", "stack", "traceback", "stacktrace"))
    if found is not None:
        return "\n".join([found, *_causes(error)])
    name, message = first(error, ("type", "class", "name")), first(error, ("message", "msg"))
    return f"{name}: {message}" if name and message and name != "Error" else None


def _causes(error: dict[str, object]) -> Iterator[str]:
    """The stacks of the causes nested in `error`, from the outer to the inner, as pino writes them in text."""
    for _ in range(_CAUSES):
        inner = error.get("cause")
        if not isinstance(inner, dict):
            return
        stack = first(inner, ("stack_trace", "stack"))
        if stack is not None:
            yield f"caused by: {stack}"
        error = inner


def _headed(trace: str, record: dict[str, object]) -> str:
    """`trace` with the head and the last line that some formatters put into fields of their own."""
    if not trace.startswith('  File "'):
        return trace
    name = first(record, ("error.type", "errorType")) or ""
    message = first(record, ("error.message", "errorMessage")) or ""
    last = f"{name}: {message}" if message else name
    return "\n".join(["Traceback (most recent call last):", trace.rstrip("\n"), *([last] if last else [])])


def _from_list(items: list[object], record: dict[str, object]) -> str | None:
    """A traceback given as a list: of lines, or of exceptions with their frames, the last raised first."""
    if items and all(isinstance(item, str) for item in items):
        return "\n".join(str(item).rstrip("\n") for item in items)
    chain = [item for item in items[: _CAUSES * 2] if isinstance(item, dict) and "exc_type" in item]
    if not chain:
        return None
    parts: list[str] = []
    for index in range(len(chain) - 1, -1, -1):
        parts.extend(_exception(chain[index]))
        if index:
            parts.extend(["", _between(chain[index]), ""])
    return "\n".join(parts)


def _between(inner: dict[str, object]) -> str:
    if inner.get("is_cause"):
        return "The above exception was the direct cause of the following exception:"
    return "During handling of the above exception, another exception occurred:"


def _exception(stack: dict[str, object]) -> Iterator[str]:
    yield "Traceback (most recent call last):"
    frames = stack.get("frames")
    for frame in frames[:_FRAMES] if isinstance(frames, list) else ():
        if isinstance(frame, dict):
            yield f'  File "{frame.get("filename")}", line {frame.get("lineno")}, in {frame.get("name")}'
            if source := first(frame, ("line", "source")):
                yield f"    {source.strip()}"
    value = first(stack, ("exc_value",)) or ""
    yield f"{stack.get('exc_type')}: {value}" if value else str(stack.get("exc_type"))
