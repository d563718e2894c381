"""Redis and Valkey: configuration, start-up, storage, crash reports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.readers.line_shapes import shape, spot
from kb.failures.streams import Stream

NAME = "redis"
ABOUT = "Redis and Valkey: configuration, ports, snapshots, memory, crash reports"
EXAMPLE = """\
*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***
Reading the configuration file, at line 2
>>> 'maxmemroy 64mb'
Bad directive or wrong number of arguments
"""

_HEAD = r"\d{1,10}:[A-Z] \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d{3} [#*.-] "
_CONFIG = re.compile(r"\*\*\* (?P<type>FATAL CONFIG FILE ERROR) \((?:Redis|Valkey|KeyDB) .{1,30}\) \*\*\*$")
_REPORT = re.compile(r"=== (?:REDIS|VALKEY) BUG REPORT START")
_REPORT_END = re.compile(r"=== (?:REDIS|VALKEY) BUG REPORT END")
_SIGNAL = re.compile(rf"(?:{_HEAD})?(?:Redis|Valkey) \S+ (?P<message>crashed by (?P<type>signal: \d+))")
_ASSERTION = re.compile(rf"(?:{_HEAD})?==> (?P<file>[\w.]+):(?P<line>\d{{1,9}}) '(?P<what>.{{1,300}}?)' is not true")
_PANIC = re.compile(rf"(?:{_HEAD})?Guru Meditation: (?P<message>.*?)(?: #(?P<file>[\w.]+):(?P<line>\d{{1,9}}))?$")
_STEP = re.compile(r"\S.{0,80}?\((?P<function>\w+)\+0x[0-9a-f]+\)\[0x[0-9a-f]+\]$")
_NOT_OWN = re.compile(
    r"sigsegvHandler|_serverAssert|_serverPanic|logStackTrace|printCrashReport|aeMain|aeProcessEvents|main|"
    r"__libc_\w+|_start"
)
_SHAPES = (
    # what a server answers, as redis-cli prints it into a pipe
    shape(
        "Redis",
        r"(?:AUTH failed: )?(?P<message>(?:NOAUTH|WRONGPASS|NOPERM|WRONGTYPE|MISCONF|READONLY|LOADING|BUSY|BUSYGROUP"
        r"|NOSCRIPT|CLUSTERDOWN|CROSSSLOT|MASTERDOWN|NOREPLICAS|EXECABORT|UNKILLABLE) \S.{3,400})$",
        1,
    ),
    shape("Redis", r"(?P<message>OOM command not allowed when used memory .{1,100})$", 1),
    shape(
        "Redis",
        rf"{_HEAD}(?:Warning: )?(?P<message>Could not create server TCP listening socket .*|Creating "
        rf"Server TCP listening socket .*: bind: .*)$",
        0,
    ),
    shape(
        "Redis", rf"{_HEAD}(?P<message>Failed listening on port .*aborting\..*)$", 1, cascade="the line before says why"
    ),
    shape(
        "Redis",
        rf"{_HEAD}(?P<message>(?:Fatal|Bad file format|Can't open|Can't handle|Can't chdir|Error "
        rf"opening|Unexpected EOF|Unrecoverable|Short read|Wrong signature|Internal error in RDB).*)$",
        0,
    ),
    shape(
        "Redis",
        rf"{_HEAD}(?P<message>(?:Write error saving DB on disk|Error moving temp DB file|Can't save in "
        rf"background|Failed opening the (?:temp )?RDB file|Error writing to the AOF file|AOF fsync|Opening the "
        rf"temp file for).*)$",
        0,
    ),
    shape(
        "Redis",
        rf"{_HEAD}(?P<message>Background (?:saving|AOF rewrite) (?:error|terminated by signal).*)$",
        1,
        cascade="the child's own line says why",
    ),
    shape(
        "Redis",
        rf"{_HEAD}(?P<message>Out Of Memory allocating .*|Error condition on socket for SYNC: .*|Unable "
        rf"to connect to MASTER: .*|MASTER aborted replication .*|Cluster state changed: fail.*|FAIL message "
        rf"received.*)$",
        1,
    ),
    shape("redis-cli", r"(?P<message>Could not connect to (?:Redis|Valkey) at \S+: .*)$", 1),
    shape("redis-cli", r"\(error\) (?P<type>[A-Z]{2,20}) (?P<message>.*)$", 1),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per report or line; a crash report is one, whatever it holds."""
    index = 0
    before: Find | None = None
    while index < len(lines):
        text = lines[index].text[:2000]
        find: Find | None = None
        end = index + 1
        if config := _CONFIG.match(text.strip()):
            find, end = _config(lines, index, config["type"])
        elif _REPORT.search(text):
            find, end = _report(lines, index)
        else:
            find = spot(NAME, "database", lines, index, _SHAPES)
            if (
                find is not None
                and before is not None
                and find.message.startswith("Fatal")
                and find.first - before.last < 3
            ):
                find.inner.append(("cause", before))
            before = find or before
        if find is not None:
            yield find
        index = end


def _config(lines: Stream, index: int, name: str) -> tuple[Find, int]:
    end = min(index + 4, len(lines))
    rest = [ln.text.strip() for ln in lines[index + 1 : end]]
    directive = next((t.removeprefix(">>> ") for t in rest if t.startswith(">>> ")), "")
    why = rest[-1] if rest else ""
    message = f"{directive}\n{why}" if why.startswith("Bad directive") else f"{why}\n{directive}"
    return spotted(NAME, "database", name, message, lines[index], lines[index:end]), end


def _report(lines: Stream, index: int) -> tuple[Find | None, int]:
    end, frames = index + 1, []
    at, name, message, place = index, "crash", "", None
    while end < len(lines) and end - index < 3000 and not _REPORT_END.search(lines[end].text):
        text = lines[end].text[:2000]
        if not message and (found := _SIGNAL.match(text)):
            at, name, message = end, found["type"].replace(":", ""), found["message"]
        elif not message and (found := _ASSERTION.match(text)):
            at, name, message, place = end, "assertion", f"'{found['what']}' is not true", found
        elif not message and (found := _PANIC.match(text)):
            at, name, message = end, "panic", found["message"]
        elif step := _STEP.match(text):
            frames.append(Frame("", step["function"]))
        end += 1
    own = [f for f in frames if not _NOT_OWN.fullmatch(f.function)]
    if place is not None and not own:
        own = [Frame(place["file"], "", int(place["line"]))]
    end = min(end + 1, len(lines))
    return spotted(NAME, "crash", name, message, lines[at], lines[index:end], frames=tuple(reversed(own[:60]))), end
