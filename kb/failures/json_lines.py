"""Structured logs: one JSON object a line, with level, time, message and an escaped traceback in some field.

Understood are the fields of structlog, python-json-logger, ECS (dotted or nested), pino, bunyan, winston, zap, logrus,
slog, tracing, Serilog, logstash, Log4j, Monolog, Lambda; and the envelopes that carry a program's line whole: Docker's
and CRI-O's files, the journal, Cloud Logging, Fluent Bit, loguru's `serialize`.
"""

import json
import re
from functools import cache
from typing import NamedTuple

from kb.expressions import late
from kb.failures.json_traces import first, output_of, trace_of
from kb.failures.lines import clean

_LEVEL_KEYS = ("level_name", "level", "levelname", "severity", "log.level", "lvl", "@l")
_TEXT_KEYS = ("message", "msg", "event", "short_message", "fields.message", "@m", "@mt", "errorMessage")
_TIME_KEYS = ("ts", "time", "timestamp", "@timestamp", "asctime", "datetime", "@t")
_PROCESS_KEYS = (
    "kubernetes.container_name",
    "kubernetes.container.name",
    "resource.labels.container_name",
    "container_name",
    "resource.labels.service_name",
    "resource.labels.function_name",
    "service.name",
    "serviceContext.service",
    "service",
    "app",
)
_POD_KEYS = ("kubernetes.pod_name", "kubernetes.pod.name", "resource.labels.pod_name")
_REASON_KEYS = ("error", "err", "error.message", "exception.message")
_LEVELS = {
    **dict.fromkeys(("fatal", "critical", "crit", "alert", "emergency", "emerg", "panic", "dpanic", "60"), "fatal"),
    **dict.fromkeys(("error", "err", "severe", "50"), "error"),
    **dict.fromkeys(("warn", "warning", "40"), "warning"),
    **dict.fromkeys(("info", "notice", "information", "informational", "30"), "info"),
    **dict.fromkeys(("debug", "trace", "verbose", "20", "10"), "debug"),
}
#: Longer objects are data, not log records; a hostile one must not cost a deep parse.
_LONGEST = 1 << 20
_LOUD = ("error", "fatal")
#: How a logfmt record begins that no prefix knows.
LOGFMT_STARTS = ("ts=", "level=", "caller=", "lvl=")
#: Half of a pair that escapes wrote (`\\ud800`): no text that can be stored.
_HALF = late("[\ud800-\udfff]")


class Record(NamedTuple):
    """What a JSON record says.

    `text` are the lines of its message and `trace` those of its traceback. `level` is as of a prefix, `key` tells its
    stream. The message of a `carried` record is a raw line of a program, with whatever prefixes that line has; `part`
    names the pipe when the line goes on in that pipe's next record, `pipe` the pipe itself.
    """

    text: tuple[str, ...]
    trace: tuple[str, ...] = ()
    level: str = ""
    time: str = ""
    process: str = ""
    key: str = ""
    carried: bool = False
    pipe: str = ""
    part: bool = False


def looks_json(line: str) -> bool:
    """Whether `line` may be a JSON record, told without parsing it."""
    return line.startswith("{") and len(line) <= _LONGEST and line.rstrip().endswith("}")


def unfold(line: str) -> Record | None:
    """What `line` says when it is a JSON record with a message or a traceback, else None."""
    if not looks_json(line):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    return _whole(_journal(record) or _carried(record) or _told(record), line)


def looks_logfmt(line: str) -> bool:
    """Whether `line` may be a logfmt record that must be taken apart.

    One with an escaped traceback in it must, and one that no prefix knows: it begins with another field than its time.
    """
    if len(line) > _LONGEST or "=" not in line:
        return False
    return ("\\n" in line and '="' in line) or (line.startswith(LOGFMT_STARTS) and "msg=" in line)


def unfold_logfmt(line: str) -> Record | None:
    """What the `key=value` pairs of `line` say, or None when it does not begin with one or has no message."""
    pairs = _pairs()
    if not pairs.match(line):
        return None
    record: dict[str, object] = {}
    for match in pairs.finditer(line):
        value = match["value"]
        record.setdefault(match["key"], _unquoted(value) if value.startswith('"') else value)
    return _whole(_told(record), line)


def _whole(record: Record | None, line: str) -> Record | None:
    """`record`, read from `line`, with halves of surrogate pairs replaced."""
    if record is None or "\\u" not in line:
        return record
    return record._replace(
        text=tuple(map(_without_halves, record.text)),
        trace=tuple(map(_without_halves, record.trace)),
        time=_without_halves(record.time),
        process=_without_halves(record.process),
        key=_without_halves(record.key),
        pipe=_without_halves(record.pipe),
    )


def _without_halves(text: str) -> str:
    return _HALF.sub("\ufffd", text)


@cache
def _pairs() -> re.Pattern[str]:
    return re.compile(r'(?<!\S)(?P<key>[A-Za-z_@][\w.@-]{0,100})=(?P<value>"(?:[^"\\]|\\.)*"|[^\s"]*)(?:\s+|$)')


def _unquoted(value: str) -> str:
    try:
        return str(json.loads(value))
    except ValueError:
        return value.strip('"').replace("\\n", "\n").replace('\\"', '"')


def _told(record: dict[str, object]) -> Record | None:
    """A record that the program itself wrote."""
    payload = record.get("jsonPayload")
    if isinstance(payload, dict):
        record = {**record, **payload}
    text = first(record, _TEXT_KEYS)
    trace = trace_of(record)
    trace = None if trace == text else trace
    # Each line of an output may have prefixes of its own, those of several processes; of a traceback none has.
    output = output_of(record) if trace is None else None
    if text is None and trace is None and output is None:
        return None
    level = _LEVELS.get((first(record, _LEVEL_KEYS) or "").lower(), "")
    text = text or ""
    if level in _LOUD:
        text = _with_reason(text, first(record, _REASON_KEYS), trace or output or "")
    said = _lines(text) if output in (None, text) else (*_lines(text), *_lines(output or ""))
    return Record(said, _lines(trace) if trace else (), level, first(record, _TIME_KEYS) or "", *_speaker(record))


def _with_reason(text: str, reason: str | None, trace: str) -> str:
    """The message with the error that the record carries beside it, as loggers of Go write it."""
    if not reason or reason in text or reason in trace:
        return text
    return f"{text}: {reason}" if text else reason


def _carried(record: dict[str, object]) -> Record | None:
    """A record in which a collector put a line as the program wrote it."""
    time = first(record, _TIME_KEYS) or ""
    log, pipe = record.get("log"), record.get("stream")
    if isinstance(log, str) and not first(record, ("message", "msg", "event")):
        part = isinstance(pipe, str) and not log.endswith("\n")
        return Record(
            _lines(log), (), "", time, *_speaker(record), True, str(pipe) if isinstance(pipe, str) else "", part
        )
    text = record.get("textPayload")
    if isinstance(text, str):
        return Record(_lines(text), (), "", time, *_speaker(record), True)
    text = record.get("Output")
    if isinstance(text, str) and record.get("Action") == "output":  # go test -json
        return Record(_lines(text), (), "", first(record, ("Time",)) or "", "", "", True)
    text = record.get("text")
    if isinstance(text, str) and isinstance(record.get("record"), dict):
        return Record(_lines(text))
    return None


def _journal(record: dict[str, object]) -> Record | None:
    """An entry of the journal: its priority is the pipe's, not the line's, so it says nothing of the line."""
    if "MESSAGE" not in record:
        return None
    message = record["MESSAGE"]
    if isinstance(message, list):
        message = bytes(code for code in message if isinstance(code, int) and 0 <= code < 256).decode(
            "utf-8", "replace"
        )
    if not isinstance(message, str):
        return None
    name = first(record, ("SYSLOG_IDENTIFIER", "_COMM", "_SYSTEMD_UNIT")) or ""
    pid = first(record, ("_PID", "SYSLOG_PID")) or ""
    time = first(record, ("_SOURCE_REALTIME_TIMESTAMP", "__REALTIME_TIMESTAMP")) or ""
    return Record(_lines(message), (), "", time, name, f"{name}|{pid};" if name or pid else "", True)


def _speaker(record: dict[str, object]) -> tuple[str, str]:
    """The label and the key of the container that wrote the record, where a collector says so."""
    name, pod = first(record, _PROCESS_KEYS) or "", first(record, _POD_KEYS) or ""
    if not name and not pod:
        return "", ""
    label = f"{pod}/{name}" if pod and name else name or pod
    return label, f"{label}|;"


def _lines(text: str) -> tuple[str, ...]:
    """The lines of a text out of a record, clean: what was escaped there comes out with its colours."""
    return tuple(part for line in text.rstrip("\n").split("\n") for part in clean(line).split("\n"))
