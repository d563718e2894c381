"""What the tools that gather logs put round each line: names of files, line numbers, times, task numbers.

Unlike a prefix of a process, such a frame is known by the whole log only: a compiler's `a.c:12:` looks like what `grep
-H` writes, a table's first column like a line number. So a sample of the lines decides, once, what is taken off all.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import NamedTuple

from kb.expressions import late
from kb.failures.bare_times import headed, timed
from kb.failures.prefixes import peel

_SAMPLE = 200
_ENOUGH = 0.95
#: What a mail does to lines it does to all; between the lines of its tasks `srun` and the script speak, too.
_LEAST = {"indented": 1.0, "quoted": 1.0, "boxed": 1.0, "task": 0.5}
#: What stands before a colon in logs of one program: levels, and words without a number or a part.
_NO_HOST = late(r"(?i)(?:info|debug|trace|notice|warn(?:ing)?|err(?:or)?|fatal|critical|note|hint)$|[A-Za-z]+$")
_LEVEL = late(r"(?i)(?:info|debug|trace|notice|warn(?:ing)?|err(?:or)?|fatal|critical|crit|alert|emerg|note|hint|ok)$")
_HOST = late(
    r"\[|(?:\d{1,3}\.){3}\d{1,3}$|(?!python|pip|clang|gcc|php|perl|ruby|lua)[a-z][a-z-]{0,40}\d{1,4}(?:\.[\w.-]{1,80})?$"
)
_LABEL = late(r"\[(?P<name>[A-Za-z][\w.:@/-]{0,40})\](?: |$)")
_FEW = 64
_LABELLED = 5
_LONGEST = 400

_NAME = (
    r"(?:[^\s:|(){}\[\]\"'=]{0,200}\.(?:log|txt|out|err|stdout|stderr|jsonl?|ndjson)(?:\.\d{1,4}|\.old)?"
    r"|/var/log/[\w./@-]{1,200}|\(standard input\))"
)
#: In the order of trial. Groups: name, number, time, task.
_SHAPES = (
    ("grep-numbered", rf"(?P<name>{_NAME})(?:(?::(?P<number>\d{{1,9}}):)|(?:-\d{{1,9}}-))"),
    ("grep", rf"(?P<name>{_NAME})[:-]"),
    ("numbered", r" {0,6}(?:(?P<number>\d{1,9})[:\t]|\d{1,9}-)"),
    ("stamped-wide", r"(?P<time>\d\d:\d\d:\d\d) {2}"),
    (
        "stamped",
        r"\[?(?P<time>(?:(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2} [ \d]\d )\d\d:\d\d:\d\d|\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?"
        r"(?:Z|[+-]\d\d:?\d\d)?)\]? ",
    ),
    ("task", r"(?P<task>\d{1,5}): ?"),
    ("quoted", r"(?:> ?){3}"),
    ("quoted", r"(?:> ?){2}"),
    ("quoted", r"> ?"),
    ("service", r"(?P<name>[A-Za-z][\w.-]{0,60}|\d{1,4}\|[\w.-]{1,60}) {1,20}\|(?: (?! File \")(?! {3}\S))?"),
    ("host", r"(?P<name>\[?[\w.@,-]{1,80}\]?(?:<std(?:out|err)>)?):(?: |$)"),
    ("boxed", r"[│┃] ?"),
    ("indented", r"\t"),
    ("indented", r" {8}"),
    ("indented", r" {4}"),
)
_ANT = late(r" {4,10}\[(?:junit|junitlauncher|testng|javac|exec)\]")
_SECTION = "==> "
_SECTION_END = " <=="
_BRANCH = "[Pipeline] { (Branch: "
_PIPELINE = "[Pipeline] "


class Framed(NamedTuple):
    """A line without its frame: its text, the key of its stream (as of a prefix), the label, the time.

    A `gap` is a line of the tool itself.
    """

    text: str
    key: str = ""
    process: str = ""
    time: str = ""
    gap: bool = False


UNFRAMED = Framed("")


class Framing:
    """Takes the frames off the lines of one log, in their order."""

    def __init__(self, lines: Iterable[str]) -> None:
        """`lines` are the log's own, clean; a sample at its begin is looked at."""
        sample = [line for line in islice(lines, _SAMPLE) if line.strip() and line != "--"]
        self._shape = _shape_of(sample)
        #: What a runner of several programs puts in brackets before each of their lines, behind all prefixes.
        framed = [self._unframed(line) or Framed(line) for line in sample]
        self.labels = _labels([one.text for one in framed])
        #: The keys, of frame and prefixes, of which each line begins with a time alone.
        self.timed = timed(((one.key, one.text) for one in framed), framed=self._shape is not None)
        self._section = UNFRAMED
        self._branches: set[str] = set()

    def take(self, line: str) -> Framed | None:
        """`line` without what the tool put round it, or None when it stands alone."""
        if line.startswith(_SECTION) and line.endswith(_SECTION_END) and len(line) <= _LONGEST:
            name = line[len(_SECTION) : -len(_SECTION_END)]
            self._section = Framed("", f"{name.replace(';', ',').replace('|', ',')}|;", name.rsplit("/", 1)[-1])
            return self._section._replace(gap=True)
        if line.startswith("[") and (self._branches or line.startswith(_PIPELINE)):
            return self._jenkins(line)
        if self._shape is None:
            return self._section._replace(text=line) if self._section.key else None
        return self._unframed(line) or self._section._replace(text=line, gap=line == "--")

    def _unframed(self, line: str) -> Framed | None:
        """`line` without the frame that all lines have."""
        match = self._shape.match(line) if self._shape is not None else None
        if match is None:
            return None
        found = match.groupdict()
        name, task = found.get("name") or "", found.get("task") or ""
        label = name.rsplit("/", 1)[-1] or (f"task {task}" if task else "")
        return Framed(line[match.end() :], f"{name or label}|;" if label else "", label, found.get("time") or "")

    def _jenkins(self, line: str) -> Framed:
        if line.startswith(_PIPELINE):
            if line.startswith(_BRANCH) and line.endswith(")"):
                self._branches.add(line[len(_BRANCH) : -1])
            return self._section._replace(gap=True)
        name, closed, text = line[1:_LONGEST].partition("]")
        if closed and name in self._branches:
            return Framed(line[len(name) + 3 :] if text[:1] == " " else line[len(name) + 2 :], f"{name}|;", name)
        return self._section._replace(text=line)


_compiled = cache(re.compile)


def label_of(text: str) -> str:
    """The word in brackets at the begin of `text`, "" for none."""
    if not text.startswith("["):
        return ""
    label = _LABEL.match(text)
    return label["name"] if label is not None else ""


def _labels(sample: list[str]) -> frozenset[str]:
    """The labels of the programs of which `sample` holds the lines; none where it is not plain that they are labels."""
    if not any("[" in line for line in sample):
        return frozenset()
    found: dict[str, list[str]] = {}
    for line in sample:
        text = peel(line[:_LONGEST]).text
        if name := label_of(text):
            found.setdefault(name, []).append(text[len(name) + 2 :])
    names = {name for name, texts in found.items() if len(texts) > 1 and not _LEVEL.match(name)}
    texts = [text for name in names for text in found[name]]
    indented = any(text.startswith("   ") and text.strip() for text in texts)
    plain = indented and 1 < len(names) <= _FEW and len(texts) >= _LABELLED
    return frozenset(names) if plain else frozenset()


def _shape_of(sample: list[str]) -> re.Pattern[str] | None:
    """The frame that nearly all lines of `sample` have, or None."""
    if len(sample) < 2:
        return None
    for shape, pattern in _SHAPES:
        if not _may(shape, sample[0], sample[-1]):
            continue
        expression = _compiled(pattern)
        matches = [match for line in sample if (match := expression.match(line[:_LONGEST]))]
        enough = _LEAST.get(shape, _ENOUGH)
        if len(matches) >= enough * len(sample) and _plausible(shape, matches, all_of=len(matches) == len(sample)):
            return expression
    return None


def _may(shape: str, one: str, other: str) -> bool:
    """Whether the first or the last line can have the frame: told without an expression, as most logs have none."""
    if shape.startswith("grep"):
        return any(":" in line and _telling_name(line[:_LONGEST]) for line in (one, other))
    if shape == "quoted":
        return one.startswith(">") and other.startswith(">")
    if shape == "indented":
        # What Ant's tasks write is indented, too, and their prefix tells more.
        return all(line.startswith(("    ", "\t")) and not _ANT.match(line) for line in (one, other))
    if shape == "boxed":
        return one[:1] in "│┃" and other[:1] in "│┃"
    if shape == "host":
        return all(":" in line[:100] and not _NO_HOST.match(line.partition(":")[0]) for line in (one, other))
    if shape == "service":
        return " |" in one[:70] and " |" in other[:70]
    if shape == "task" and "srun" in one[:8] + other[:8]:
        return True  # what srun says itself stands at the begin and at the end of most such logs
    if shape.startswith("stamped"):
        return any(line[:1].isdigit() or line[:1] in tuple("[JFMASOND") for line in (one, other))
    return any(line.lstrip(" ")[:1].isdigit() for line in (one, other))


def _telling_name(line: str) -> bool:
    name = line.partition(":")[0]
    return " " not in name.strip() or name == "(standard input)"


def _plausible(shape: str, matches: list[re.Match[str]], *, all_of: bool) -> bool:
    """Whether what looks like a frame behaves like one: numbers grow, and what is indented is framed, too.

    What stands before all of the lines (`all_of`) and never before an indented one is a frame if it says little else.
    """
    texts = [match.string[match.end() :] for match in matches]
    indented = any(text[:1] in (" ", "\t") and text.strip() for text in texts)
    if shape == "grep-numbered":
        return _grow([(match["name"], match["number"]) for match in matches])
    if shape == "numbered":
        numbers = [("", match["number"]) for match in matches]
        return len(matches) > 2 and _grow(numbers) and (indented or (all_of and matches[0]["number"] is not None))
    if shape == "service":
        return len({match["name"] for match in matches}) <= 20 and (indented or len({m["name"] for m in matches}) == 1)
    if shape == "task":
        if len({match["task"] for match in matches}) > 1:
            return indented
        # Of one task, with what the runner says itself between its lines; but Redis begins its lines with `4711:M`.
        spaced = all(match[0].endswith(" ") or match.end() == len(match.string) for match in matches)
        return (all_of or indented) and len(matches) > 2 and spaced
    if shape == "host":
        names = {match["name"] for match in matches}
        if len(names) > _FEW or 3 * len(names) > len(matches) or any(map(_NO_HOST.match, names)):
            return False
        return indented or _labelled(matches, texts) or (all_of and len(matches) > 2 and _numbered(names))
    if shape == "stamped-wide":
        return indented or all_of
    if shape != "stamped":
        return True
    return indented or (all_of and len(matches) > 2 and (_labelled(matches, texts) or _plain(matches, texts)))


def _numbered(names: set[str]) -> bool:
    """Whether `names` are those of hosts, which nothing but their number or address tells apart."""
    return all(_HOST.match(name) is not None for name in names)


def _plain(matches: list[re.Match[str]], texts: list[str]) -> bool:
    """Whether a time alone was set before lines that have no head: a logger's time is followed by what it says."""
    alone = len(matches[0]["time"]) == len("00:00:00") and not peel(matches[0].string).record
    return alone and not any(map(headed, texts))


def _labelled(matches: list[re.Match[str]], texts: list[str]) -> bool:
    """Whether processes name themselves behind the times, which no prefix with such a time knows."""
    if peel(matches[0].string).record:
        return False
    return 3 * sum(peel(text).labelled for text in texts) >= len(texts)


def _grow(numbers: list[tuple[str, str | None]]) -> bool:
    last: dict[str, int] = {}
    for name, number in numbers:
        if number is None:
            continue
        if int(number) <= last.get(name, -1):
            return False
        last[name] = int(number)
    return bool(last)
