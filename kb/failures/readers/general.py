"""The last reader: error lines of any program, for what no other reader understood."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.phrases import is_noise
from kb.failures.streams import Line, Stream

NAME = "general"

#: Shapes of error lines that name their failure, most specific first: (kind, expression with type and message).
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "build",
        re.compile(r"(?P<place>[^\s:()][^:()\n]{0,400}):\d+(?::\d+)?: (?P<type>(?:fatal )?error): (?P<message>\S.*)$"),
    ),
    (
        "build",
        re.compile(
            r"(?P<place>[^\s()][^()\n]{0,400})\(\d+(?:,\d+)?\): (?P<type>error [A-Z]+\d+|error): (?P<message>\S.*)$"
        ),
    ),
    ("build", re.compile(r"(?P<type>error\[E\d{4}\]): (?P<message>\S.*)$")),
    ("build", re.compile(r"(?P<type>CMake Error)(?: at \S+)?:? ?(?P<message>.*)$")),
    ("panic", re.compile(r"(?P<type>panic|fatal error): (?P<message>\S.*)$")),
    ("panic", re.compile(r"thread '[^']{0,200}' (?:\(\d+\) )?(?P<type>panicked) at (?P<message>.*)$")),
    ("crash", re.compile(r"(?:==\d+==)?ERROR: (?P<type>\w+Sanitizer): (?P<message>\S.*)$")),
    ("crash", re.compile(r"(?P<type>terminate called) (?P<message>after throwing .*|without an active exception)$")),
    (
        "crash",
        re.compile(
            r".{0,200}?(?P<type>Segmentation fault|Bus error|Illegal instruction|Aborted)"
            r"(?P<message> \(core dumped\)| {2,}.*)?$"
        ),
    ),
    (
        "kernel",
        re.compile(
            r"(?:\[ *\d+\.\d+\] )?(?:NMI watchdog: )?(?P<type>BUG|kernel BUG|Oops|NVRM: Xid|"
            r"Kernel panic - not syncing|Out of memory|Memory cgroup out of memory|"
            r"Unable to handle kernel NULL pointer dereference)\b:? ?(?P<message>.*)$"
        ),
    ),
    (
        "exception",
        re.compile(
            r"(?:Caused by: |Exception in thread \"[^\"]{0,200}\" |Unhandled exception\. |\*\* \(|"
            r"\[cause\]: |Uncaught )?"
            r"(?P<type>(?:[A-Za-z_$][\w$]*[./])*[A-Z][\w$]*(?:Error|Exception))\)?: (?P<message>\S.*)$"
        ),
    ),
)
#: A level word as writers set it: before a colon or in brackets anywhere, in capitals at the start of the line.
_LEVEL_WORD = re.compile(
    r"(?:^|[\s\[(|:])(?P<colon>ERROR|FATAL|CRITICAL|SEVERE|EMERG|[Ff]atal|[Ee]rror|Fehler|FEHLER|Erreur|ERREUR|错误|错误|エラー)"
    r"\s?[:!：]+\s*(?=\S)"
    r"|\[(?P<bracket>emerg|alert|crit|error|fatal|ERROR|FATAL|CRITICAL)\][:\s]"
    r"|^(?P<start>ERROR|FATAL|CRITICAL|SEVERE|npm (?:ERR!|error))\s"
)
_DIED = re.compile(
    r"(?:^|\b)(?:died|was killed|killed by signal|is killed|Killed$|OOMKilled|terminated by signal|core dumped)"
)
#: Words that make an error word harmless: counts of none, names of tests and files, settings.
_HARMLESS = re.compile(
    r"\b(?:error|errors)[_\w./-]{0,200}\.(?:py|js|ts|html|log|c|h|md)\b|\bon[_-]error\b|\berror[_-]?(?:rate|count|code)s?\s*[=:]\s*0\b"
)
#: A source file's path with a line: what stands behind is a compiler's own level word.
_QUIET = frozenset({"info", "debug", "warning"})
_LONGEST = 20_000
_NOISY = 2_000


def read(lines: Stream, taken: frozenset[int]) -> Iterator[Find]:
    """Error lines of `lines` outside the raw lines in `taken`; the same line again belongs to the first."""
    seen: dict[tuple[str, str], Find] = {}
    for index, line in enumerate(lines):
        if line.number in taken or line.level in _QUIET:
            continue
        find = _line(line)
        if find is None or is_noise(line.text[:_NOISY]):
            continue
        following = lines[index + 1] if index + 1 < len(lines) else None
        if find.type == "CMake Error" and following is not None and following.text.startswith("  "):
            find.message = following.text.strip()
        if find.type == "panicked" and following is not None:
            find.message = following.text.strip() or find.message
        before = seen.get((find.type, find.message))
        if before is None:
            seen[find.type, find.message] = find
            yield find


def _line(line: Line) -> Find | None:
    text = line.text[:_LONGEST].strip(" \t│╷╵")
    if not text or _HARMLESS.search(text):
        return None
    kind, name, message, weight = "", "", "", 1
    for shape, expression in _SHAPES:
        match = expression.match(text)
        if match:
            kind, name, message = shape, match["type"], (match["message"] or "").strip()
            if kind in ("kernel", "crash") and not text.startswith(f"{name}: ", match.start("type")):
                message = text[match.start("type") :]
            break
    else:
        # An indented line continues a report whose beginning went astray: its level says nothing of its own.
        if line.level in ("error", "fatal") and line.record and not line.text.startswith("    "):
            kind, name, message, weight = "error-line", line.level, text, 2
        elif match := _LEVEL_WORD.search(text[:400]):
            kind, name, message, weight = "error-line", (match[match.lastgroup or 0]).lower(), text, 2
        elif _DIED.search(text[:400]):
            kind, name, message, weight = "death", "died", text, 2
    if not kind:
        return None
    return Find(
        kind=kind,
        type=name,
        message=message,
        at=line,
        first=line.number,
        last=line.number,
        process=line.process,
        reader=NAME,
        weight=weight,
        lines={line.number},
    )
