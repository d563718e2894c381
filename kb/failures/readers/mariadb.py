"""MariaDB and MySQL: errors of the server, crashes with their stack, and what the clients answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.line_shapes import shape, spot
from kb.failures.streams import Stream

NAME = "mariadb"
ABOUT = "MariaDB and MySQL: start-up, storage engines, crashes, clients"
EXAMPLE = """\
2026-11-29  9:30:15 0 [ERROR] Can't start server: Bind on TCP/IP port. Got error: 98: Address already in use
2026-11-29  9:30:15 0 [ERROR] Do you already have another server running on port: 3306 ?
2026-11-29  9:30:15 0 [ERROR] Aborting
"""

_RECORD = re.compile(
    r"(?:\d{4}-\d\d-\d\d[T ] ?\d{1,2}:\d\d:\d\d(?:\.\d{1,6}Z)?|\d{6} {1,2}\d{1,2}:\d\d:\d\d) (?:\d{1,12} )"
    r"?\[(?P<level>ERROR|Error)\] "
    r"(?:\[(?P<code>MY-\d{6})\] )?(?:\[\w+\] )?(?P<message>\S.*)$"
)
_REPEATS = re.compile(
    r"Aborting$|Plugin initialization aborted|registration as a STORAGE ENGINE failed|Unknown/unsupported storage "
    r"engine|"
    r"Failed to initialize (?:builtin|DD|dynamic)|Data Dictionary initialization failed|Do you already have "
    r"another (?:server|mysqld)|"
    r"Plugin '.+' init function returned error|The server quit without|Failed to create or recover|DD Storage "
    r"Engine|Initialization of"
)
_SURVIVED = re.compile(
    r"[Ww]ill retry|ddl_recovery\.log' not found|Missing system table mysql\.roles_mapping|\(?This is not an error|"
    r"Event Scheduler: Failed to open"
)
_SIGNAL = re.compile(
    r"(?:\S+ \S+ )?(?:\[ERROR\] )?\S*(?:mysqld|mariadbd)(?:\.exe)? got (?P<message>(?P<type>signal \d+|exception "
    r"0x[0-9a-f]+)) ;"
)
#: What the server says before its log is open.
_EARLY = re.compile(
    r"(?:\S{0,300}/)?(?:mysqld|mariadbd)(?:\.exe)?: (?P<message>(?:Can't|Cannot|Could not|"
    r"Couldn't|File '|Table '|Got )\S*.*)$"
)
_STEP = re.compile(r"(?:\S*(?:mysqld|mariadbd|\.so\S*))\((?P<function>\w*)\+0x[0-9a-f]+\)|(?P<old>\w+)\+0x[0-9a-f]+")
_CLIENT = (
    shape(
        "ERROR",
        r"(?P<type>ERROR \d{4} \([0-9A-Z]{5}\))(?: at line \d+(?: in file: '.{1,300}?')?)?: "
        r"(?P<message>.*)$",
        1,
    ),
    shape(
        "mysqldump",
        r"(?P<type>(?:mysql|mariadb)(?:dump|admin|check|import|-dump|-admin)?): (?P<message>(?:Got "
        r"error|Couldn't execute|connect to server|\[ERROR\]|unknown (?:option|variable)).*)$",
        1,
    ),
)


def read(lines: Stream) -> Iterator[Find]:
    """The server's failures in their order; what only repeats the first of a start points to it."""
    first: Find | None = None
    seen: set[str] = set()
    index = 0
    while index < len(lines):
        line = lines[index]
        find: Find | None = None
        end = index + 1
        if record := _RECORD.match(line.text[:4000]):
            find = spotted(NAME, "database", record["code"] or "ERROR", record["message"].strip(), line, [line])
            if _SURVIVED.search(find.message):
                find.harmless = "the server goes on after this"
            elif _REPEATS.search(find.message) and first is not None:
                find.inner.append(("quotes", first))
            elif find.message == "Aborting":
                find.cascade = "the lines before say why"
            elif first is None:
                first = find
        elif signal := _SIGNAL.match(line.text[:1000]):
            find, end = _crash(lines, index, signal)
            first = first or find
        elif early := _EARLY.match(line.text[:4000]):
            find = spotted(NAME, "database", "mariadbd", early["message"].strip(), line, [line])
            first = first or find
        else:
            if "ready for connections" in line.text:
                first = None
            find = spot(NAME, "database", lines, index, _CLIENT)
        if find is not None and (find.harmless or (key := f"{find.type} {find.message}") not in seen):
            if not find.harmless:
                seen.add(key)
            yield find
        index = end


def _crash(lines: Stream, index: int, signal: re.Match[str]) -> tuple[Find, int]:
    end, frames = index + 1, []
    while end < len(lines) and end - index < 150 and not _RECORD.match(lines[end].text):
        if step := _STEP.match(lines[end].text):
            frames.append(Frame("", step["function"] or step["old"] or ""))
        end += 1
    find = spotted(
        NAME,
        "crash",
        signal["type"],
        signal["message"],
        lines[index],
        lines[index:end],
        frames=tuple(
            f for f in reversed(frames) if f.function not in ("", "my_print_stacktrace", "handle_fatal_signal")
        ),
    )
    return find, end
