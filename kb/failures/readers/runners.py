"""Runners of tasks: tox, nox, pre-commit, just; their reports that a command failed, and what a hook said."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.streams import Stream

NAME = "runners"
ABOUT = "tox, nox, pre-commit, just: commands and hooks that failed"
EXAMPLE = """\
check totals.............................................................Failed
- hook id: totals
- exit code: 1

totals.csv: 3 rows differ
"""

_REPORT = re.compile(
    r"(?P<tox>[\w.,{}-]{1,100}): exit -?[1-9]\d{0,4} \(\d[\d.]* seconds\) \S{1,500}> \S.{0,2000}$"
    r"|nox > Command (?P<nox>\S.{0,2000}) failed with exit code -?\d{1,5}(?:, but .{0,80})?$"
    r"|error: [Rr]ecipe `(?P<just>[^`]{1,200})` (?:failed on line \d{1,7} )?(?:failed )?with exit code \d{1,5}$"
    r"|error: [Rr]ecipe `(?P<killed>[^`]{1,200})` was terminated .{0,80}$"
)
#: What the runners add below.
_AFTER = re.compile(
    r"nox > Session .{1,300} failed\.$|nox > Session .{1,300} (?:raised|aborted)|  [\w.,{}-]{1,100}: FAIL code \d"
    r"|  evaluation failed :\(|ERROR:   \S{1,100}: commands failed$"
)
#: What pre-commit says of its own configuration; the last line with this arrow tells what is wrong.
_OCCURRED = re.compile(r"An error has occurred: (?P<type>[A-Z]\w{1,80}):\s*$")
_ARROW = "=====> "
_HOOK = re.compile(r"- hook id: (?P<hook>\S{1,200})$")
_HOOK_FIELD = re.compile(r"- (?:(?P<failed>exit code|files were modified)|duration)")
_LONGEST = 8
_NAMED = re.compile(r".{1,300}\.{3,200}(?:\(.{1,80}\))?(?:Failed|Passed|Skipped)$")


def read(lines: Stream) -> Iterator[Find]:
    """One find per report, and for a hook what it said first."""
    for index, line in enumerate(lines):
        text = line.text
        if (report := _REPORT.match(text)) is not None:
            tool = next(name for name in ("tox", "nox", "just", "killed") if report[name])
            name = tool.replace("killed", "just")
            yield spotted(NAME, "build", name, text.strip(), line, [line], weight=1)
        elif _AFTER.match(text):
            find = spotted(NAME, "build", "runner", text.strip(), line, [line], weight=1)
            find.harmless = "the runner repeats that a command failed"
            yield find
        elif (occurred := _OCCURRED.match(text)) is not None:
            block = lines[index : index + _LONGEST]
            said = next((after for after in block if after.text.startswith(_ARROW)), line)
            end = block.index(said) + 1
            message = said.text.removeprefix(_ARROW).strip()
            yield spotted(NAME, "error", occurred["type"], message, said, block[:end])
        elif (hook := _HOOK.match(text)) is not None:
            told = _hook(lines, index, hook["hook"])
            if told is not None:
                yield told


def _hook(lines: Stream, index: int, hook: str) -> Find | None:
    """What the hook said first; None of one that passed, whose fields are shown when asked for."""
    at, failed = index + 1, False
    while at < len(lines) and ((field := _HOOK_FIELD.match(lines[at].text)) or not lines[at].text.strip()):
        failed = failed or bool(field and field["failed"])
        at += 1
    if not failed:
        return None
    if at >= len(lines) or _NAMED.match(lines[at].text):
        at = min(index + 1, len(lines) - 1)
    said = lines[at]
    block = lines[index : min(index + 2, len(lines))]
    find = spotted(NAME, "lint", hook, said.text.strip("- \t"), said, block, weight=2)
    find.lines.add(said.number)
    find.last = max(find.last, said.number)
    return find
