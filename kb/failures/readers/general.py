"""The last reader: error lines of any program, for what no other reader understood."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.expressions import late
from kb.failures.complaints import complaint
from kb.failures.found import Find, spotted
from kb.failures.phrases import is_noise
from kb.failures.streams import MILD, Line, Stream

NAME = "general"

#: Shapes of error lines that name their failure: kind, words of which the line must hold one, expression.
_SHAPES: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    (
        "crash",
        ("Segmentation fault", "Bus error", "Illegal instruction", "Aborted"),
        late(
            r".{0,200}?(?P<type>Segmentation fault|Bus error|Illegal instruction|Aborted)"
            r"(?P<message> \(core dumped\)| {2,}.*)?$"
        ),
    ),
    # what a pool says of a worker that was killed, which says nothing itself
    (
        "death",
        (" exited with 'signal ", "Perhaps out of memory?"),
        late(
            r"(?P<message>(?:Process '[\w.:-]{1,80}' pid:\d+ exited with 'signal \d+ \(|Worker \(pid:\d+\) was sent )"
            r"(?P<type>SIG(?:KILL|SEGV|BUS|ABRT|ILL|FPE))\b.{0,100})$"
        ),
    ),
    # of Go, whose goroutines are not in the log
    ("panic", ("panic: ",), late(r"(?P<type>panic): (?P<message>\S.*?)(?: \[recovered(?:, repanicked)?\])?$")),
    (
        "exception",
        ("Error", "Exception"),
        late(
            r"(?:Caused by: |Exception in thread \"[^\"]{0,200}\" |Unhandled exception\. |\*\* \(|"
            r"\[cause\]: |Uncaught )?"
            r"(?P<type>(?:[A-Za-z_$][\w$]*[./])*[A-Z][\w$]*(?:Error|Exception))\)?: (?P<message>\S.*)$"
        ),
    ),
)
#: A level word as writers set it: before a colon or in brackets anywhere, in capitals at the start of the line.
_LEVEL_WORD = late(
    r"(?:^|[\s\[(|:])(?P<colon>ERROR|FATAL|CRITICAL|SEVERE|EMERG|[Ff]atal|[Ee]rror|Fehler|FEHLER|"
    r"Erreur|ERREUR|Errore|ERRORE|[Ee]rro|[Ff]out|Błąd|[Оо]шибка|ОШИБКА|错误|錯誤|エラー|오류)"
    r"\s?(?!::\w)[:!：]+\s*(?=\S)"
    r"|\[(?P<bracket>emerg|alert|crit|error|fatal|ERROR|FATAL|CRITICAL)\][:\s]"
    r"|^(?P<start>ERROR|FATAL|CRITICAL|SEVERE|npm (?:ERR!|error))\s(?!\s*=)"
)
_DIED = late(
    r"(?<![\w./-])(?:died(?![\w/-])|was killed|killed by signal|is killed|Killed$|OOMKilled|terminated by signal|"
    r"core dumped|[Rr]eceived signal:? SIG(?:SEGV|BUS|ABRT|ILL|FPE|KILL)\b)"
)
#: A person's own account of a death.
_TOLD = late(r"\b(?:I|I'm|I've|my|we|our)\b [a-z]|\b(?:thanks|any help)\b")
#: Words that make an error word harmless: counts of none, names of tests and files, settings.
_HARMLESS = late(
    # a result line of a test, whose name may hold any word
    r"^(?:[✓✔√○●]|ok \d|PASS\b|--- PASS|\[ +(?:OK|RUN) +\]|(?:ERROR|FAIL): \w+ \([\w.<> ]+\)|\S+ PASSED)|\.\.\. ok$"
    # an indented line that a search shows with its file and number
    r"|^[\w./+-]{1,300}:\d{1,7}[:-][ \t]{2}"
    # a numbered line of source that a compiler or a test tool shows, a command that a shell traces
    r"|^(?:[>❱→] ?)?\d{1,6} ?[|│](?: |$)|^\+{1,8} |^(?:/[\w/.-]{1,60}/)?(?:ba|da|z|k)?sh -\w{1,6} "
    # markup of a report
    r"|^<(?:propert|testcase|testsuite|system-out|skipped)"
    # a count of none, or a value that says that there was no error
    r"|\b(?:[Ee]rrors?|ERRORS?)\s?[:=]\s*(?:0|none|null|nil|None|false|ok|\"\"|''|\[\]|\{\})(?=\s*$|[\s]*[,;|})\]])"
    r"|\b[Ee]rrors?\s?[:=]\s*(?:\[(?:Async)?Function\b|\[class |\[Object|\[Getter|<function |<class )"
    r"|\berror[_-]?(?:rate|count|code)s?\s*[=:]\s*0\b|\bon[_-]error\b"
    # a warning that quotes an error, a line of code that handles one, a file named after it
    r"|^\[?(?:WARN|WARNING|Warning|warn|warning|INFO|info|DEBUG|debug|NOTICE|notice)\]?[:\s]|"
    r": (?:warning|note|remark): "
    r"|^(?:[\w./+-]{1,300}:\d{1,7}[:-]\s{0,80})?"
    r"(?:(?:except|catch|raise|throw|elif|echo|die|print) |[fs]?printf?\(|// |# )"
    # a comment behind code, a value that is given a name, the statistics of a change
    r"|\s//[/!]? |^[+~-]? ?\w{1,80} {1,40}= \"|^\S.{0,300}? \| +(?:\d+(?: [+-]+)?|Bin )"
    # a record of a lower level, whose shape is not known
    r"|^(?:(?!ERROR|FATAL|CRITICAL|[Ee]rror|[Ff]atal).){0,150}[\s\[|(](?:INFO|DEBUG|TRACE)[\s\]|):]"
    # an item of a list or of a comment, a commit's title
    r"|^(?:[\w./+-]{1,300}:\d{1,7}[:-]\s{0,80})?\* {1,4}(?!ERROR|FATAL|[Ee]rror:|[Ff]atal:)"
    r"|^\[\S{1,200} (?:\([\w-]{1,20}\) )?[0-9a-f]{7,40}\] "
    # a test and how it went
    r"|^(?!FAILED|ERROR)(?:[\w.]{1,40} {1,4}){0,3}\S{1,300}\.py::|^<(?:Function|Class|Module|Package|Dir|UnitTestCase) "
    r"|(?: |^)(?:PASSED|SKIPPED|XFAIL|XPASS)(?: \(.*\))?(?:\s+\[ {0,2}\d{1,3}%\]|$| \S+::| \[\d+\] )"
    r"|\b(?:error|errors)[_\w./-]{0,200}\.(?:py|js|ts|html|log|c|h|md)\b"
)
#: A bare time: behind another prefix it is not seen to be one of every line.
_TIME = late(r"^\d\d:\d\d:\d\d(?:[.,]\d{1,9})? ")
#: A line that stands so far to the right is of a paragraph or a table: an error word inside it, or a death, is prose.
_DEEP = " " * 7
_INDENTED = " " * 4
_LONGEST = 20_000
#: A longer JSON object is data: a report of tests, an answer.
_RECORD = 2_000
_NOISY = 2_000
#: Records of one process and one microsecond are one, written with its head before each line; finer times are those of
#: what gathers lines.
_MOMENT = late(r"[.,]\d{6}(?!\d)")


def read(lines: Stream, taken: frozenset[int]) -> Iterator[Find]:
    """Error lines of `lines` outside the raw lines in `taken`; the same line again belongs to the first."""
    seen: dict[tuple[str, str], Find] = {}
    last = ""
    for line in lines:
        again, last = _MOMENT.search(line.time) is not None and line.time == last, line.time
        if line.number in taken or line.level in MILD or (again and line.record):
            continue
        find = _line(line)
        if find is None or is_noise(line.text[:_NOISY]):
            continue
        before = seen.get((find.type, find.message))
        if before is None:
            seen[find.type, find.message] = find
            yield find


def _told(line: Line, text: str) -> bool:
    """Whether a person tells of a death; a program that says `we` names itself, a time or a level before it."""
    return not (line.record or line.process) and _TOLD.search(text) is not None


def _line(line: Line) -> Find | None:
    text = line.text[:_LONGEST].strip(" \t│╷╵")
    if not text or (text.startswith('{"') and len(text) > _RECORD):
        return None
    kind, name, message, weight = "", "", "", 1
    for shape, words, expression in _SHAPES:
        match = expression.match(text) if any(word in text for word in words) else None
        if match:
            kind, name, message = shape, match["type"], (match["message"] or "").strip()
            weight = 0 if kind == "death" else weight
            if kind == "crash" and not text.startswith(f"{name}: ", match.start("type")):
                message = text[match.start("type") :]
            break
    else:
        # An indented line continues a report whose beginning went astray: its level says nothing of its own.
        if line.level in ("error", "fatal") and line.record and not line.text.startswith("    "):
            kind, name, message, weight = "error-line", line.level, text, 2
        elif (match := _LEVEL_WORD.search(text[:400])) and not (match.start() and line.text.startswith(_DEEP)):
            kind, name, message, weight = "error-line", (match[match.lastgroup or 0]).lower(), text, 2
        elif _DIED.search(text[:400]) and not line.text.startswith(_INDENTED) and not _told(line, text[:400]):
            kind, name, message, weight = "death", "died", text, 2
        elif not line.text.startswith(_INDENTED) and (complained := complaint(text[:400])):
            kind, name, message, weight = "error-line", complained, _TIME.sub("", text, count=1), 1
    if not kind or _HARMLESS.search(text):
        return None
    return spotted(NAME, kind, name, message, line, [line], weight=weight)
