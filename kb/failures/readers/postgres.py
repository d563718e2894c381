"""PostgreSQL: what fails in the server, told from what only a client did wrong; psql and the other tools."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, first_said, spotted
from kb.failures.readers.line_shapes import shape, spot
from kb.failures.streams import Stream

NAME = "postgres"
ABOUT = "PostgreSQL: crashed backends, start-up, storage, connections; psql, pg_dump"
EXAMPLE = """\
2026-11-29 09:20:07.628 UTC [310] app@shop ERROR:  relation "ordres" does not exist at character 15
2026-11-29 09:20:09.651 UTC [300] LOG:  server process (PID 311) was terminated by signal 11: Segmentation fault
2026-11-29 09:20:09.651 UTC [300] LOG:  terminating any other active server processes
"""

_RECORD = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})? \S{1,6}) (?P<who>.{0,160}?)(?P<level>LOG|ERROR|FATAL|"
    r"PANIC|WARNING|DETAIL|HINT|"
    r"STATEMENT|CONTEXT|QUERY|LOCATION|NOTICE|INFO|DEBUG\d?): {1,2}(?P<message>.*)$"
)
_BELONGS = frozenset({"DETAIL", "HINT", "STATEMENT", "CONTEXT", "QUERY", "LOCATION"})
_DIED = re.compile(r"(?P<what>.{1,80}?) \(PID \d+\) was terminated by (?P<signal>signal \d+|exception 0x[0-9A-Fa-f]+)")
_ORDERLY = re.compile(r"was terminated by signal (?:15|2)\b|exited with exit code")
#: Errors that a client's statement met but did not make: disk, memory, locks, damage.
_OURS = re.compile(
    r"No space left|[Dd]isk full|could not (?:extend|write|open|read|access|create|fsync|map|resize|fork|load "
    r"library)|out of (?:shared )?memory|"
    r"invalid page|could not read block|checksum|deadlock detected|too many (?:clients|connections)|remaining "
    r"connection slots|"
    r"cache lookup failed|unexpected (?:zero page|chunk)|missing chunk|index .{1,80} (?:contains|is not)|tuple "
    r".{0,40}concurrently|"
    r"database is not accepting commands|requested WAL segment|canceling statement due to conflict"
)
_TURNED_AWAY = re.compile(
    r"(?:database|role|user) \".{1,200}\" does not exist|authentication failed|no pg_hba\.conf entry|pg_hba\.conf "
    r"rejects|"
    r"is not permitted to log in|permission denied for database|unsupported frontend protocol|no PostgreSQL user "
    r"name|expected .{1,40} startup"
)
_STATES = re.compile(r"the database system is (?:starting up|shutting down|in recovery mode|not yet accepting)")
_STOPPED = re.compile(r"terminating .{1,60} due to (?:administrator command|unexpected postmaster exit)")
_SUMMARY = re.compile(
    r"configuration file .* contains errors|could not create any TCP/IP sockets|could not load pg_hba|could not "
    r"create any Unix-domain"
)
_CAUSE = re.compile(
    r"unrecognized configuration parameter|(?:invalid value for|parameter \".+\" (?:requires|cannot)|syntax error "
    r"in file)|"
    r"is outside the valid range|could not (?:bind|create listen|open (?:file|configuration))|authentication file|"
    r"invalid "
)
_TOOLS = (
    shape(
        "ERROR",
        r"(?:psql:\S{1,300}:\d+: )(?P<type>ERROR|FATAL|PANIC):  (?P<message>\S.*)$",
        1,
        more=r"(?:LINE \d+: |DETAIL: |HINT: |CONTEXT: |QUERY: | {6,}\^)",
    ),
    shape(
        "ERROR",
        r"(?P<type>ERROR|FATAL|PANIC):  (?!While executing gem )(?P<message>\S.*)$",
        1,
        more=r"(?:LINE \d+: |DETAIL: |HINT: |"
        r"CONTEXT: |QUERY: | {6,}\^)",
    ),
    shape(
        "psql",
        r"(?P<type>psql|pg_\w+|initdb|createdb|createuser|dropdb|vacuumdb|reindexdb|clusterdb): (?:error|"
        r"fatal): (?P<message>.*)$",
        1,
        more=r"\tIs the server running",
    ),
    shape(
        "pg_ctl",
        r"(?P<type>pg_ctl|pg_ctlcluster): (?P<message>could not start server.*)$",
        1,
        cascade="the server's own log says why it did not start",
    ),
    shape(
        "postgres",
        r"(?:postgres|postmaster): (?P<message>could not (?:access|open|find|change|read).*|invalid "
        r"argument.*)$",
        0,
    ),
    shape(
        "connection lost",
        r"(?P<message>server closed the connection unexpectedly|connection to server was lost)"
        r"$",
        1,
        cascade="the server ended the connection; its own log says why",
        more=r"\t(?:This probably|before or)",
    ),
)


def read(lines: Stream) -> Iterator[Find]:
    """The server's failures, and those of its tools; a client's mistakes are told as harmless to the server."""
    seen: dict[tuple[str, str], Find] = {}
    cause: Find | None = None
    last: Find | None = None
    panic = False
    for index, line in enumerate(lines):
        record = _RECORD.match(line.text[:4000])
        if record is None:
            find = spot(NAME, "database", lines, index, _TOOLS) if line.text[:1] not in ("", " ", "\t") else None
            last = find
        elif record["level"] in _BELONGS:
            if last is not None:
                last.lines.add(line.number)
                last.last = line.number
                if record["level"] == "DETAIL":
                    last.message += f"\n{record['message']}"
            continue
        else:
            find = last = _record(lines, index, record)
            panic = panic or record["level"] == "PANIC"
            if find is not None and find.type == "signal 6" and panic and not find.cascade:
                find.cascade = "a server process ends itself after a PANIC"
            if find is not None and record["level"] == "LOG" and find.type == "configuration":
                cause = find
            elif find is not None and cause is not None and find.inner == [] and _SUMMARY.search(find.message):
                find.inner.append(("cause", cause))
        if find is None:
            continue
        key = (find.type, re.sub(r"\d+", "", find.message.split("\n")[0]))
        if first_said(seen, key, find):
            yield find


def _record(lines: Stream, index: int, record: re.Match[str]) -> Find | None:
    line, level, message = lines[index], record["level"], record["message"].strip()
    find = spotted(NAME, "database", level, message, line, [line])
    if level == "LOG":
        if died := _DIED.match(message):
            find.type = died["signal"]
            if died["what"] == "startup process":
                find.cascade = "the startup process told why before it ended"
            return find if not _ORDERLY.search(message) else None
        if "exited with exit code" in message:
            find.harmless = "a worker of the server that ends with it"
            return find
        if _CAUSE.search(message) and any(_SUMMARY.search(ln.text[:4000]) for ln in lines[index + 1 : index + 30]):
            find.type = "configuration"
            return find
        return None
    if level == "ERROR":
        find.weight = 1
        if not _OURS.search(message):
            find.harmless = "a client's statement was refused; the server is well"
        return find
    if level == "FATAL":
        if _TURNED_AWAY.search(message):
            find.cascade, find.weight = "a client was turned away; the server is well", 1
        elif _STATES.search(message):
            find.cascade, find.weight = "a client came while the server started, stopped or recovered", 1
        elif _STOPPED.search(message):
            find.teardown, find.weight = "the server ends its connections", 1
        return find
    return find if level == "PANIC" else None
