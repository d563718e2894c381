"""ESLint and its kin in their default format: problems under the path of their file, each with its rule."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.model import Frame
from kb.failures.streams import Stream

NAME = "linters"
ABOUT = "ESLint, Stylelint, lintrunner: errors by their rule"
EXAMPLE = """\
/srv/demo/web/src/lint.js
  1:7   error  'a' is assigned a value but never used  no-unused-vars

✖ 1 problem (1 error, 0 warnings)
"""

_FILE = re.compile(r"(?P<file>(?:/|[A-Za-z]:[\\/]|\.{0,2}/|[\w@.-])\S{0,400}\.\w{1,8})$")
_PROBLEM = re.compile(
    r"\s{2,}(?P<line>\d{1,7}):\d{1,7}\s{1,8}(?P<level>error|"
    r"✖)\s{1,8}(?P<message>\S.{0,2000}?)(?:\s{2,40}(?P<rule>[@\w][\w/@-]{1,100}))?$"
)


#: lintrunner: the linter, the rule or what it says, and an indented paragraph.
_LINT = re.compile(r"\s{2}Error \((?P<linter>[A-Z][A-Z0-9_]{1,80})\) (?P<message>\S.{0,500})$")
_LINTED = re.compile(r">>> Lint for (?P<file>\S{1,500}):$")


def read(lines: Stream) -> Iterator[Find]:
    """One find per error; the same message again joins the first. Warnings are none."""
    seen: dict[tuple[str, str], Find] = {}
    file, head = "", 0
    for index, line in enumerate(lines):
        text = line.text.rstrip()
        if match := _FILE.match(text) or _LINTED.match(text):
            file, head = match["file"], index
            continue
        if match := _LINT.match(text):
            yield _linted(lines, index, match, file)
            continue
        problem = _PROBLEM.match(text) if file and len(text) < 4_000 else None
        if problem is None:
            continue
        name = problem["rule"] or "error"
        before = seen.get((name, problem["message"]))
        if before is not None:
            before.lines.add(line.number)
            continue
        frame = Frame(file, "", int(problem["line"]))
        seen[name, problem["message"]] = find = spotted(
            NAME, "lint", name, problem["message"], line, lines[head : index + 1] if index == head + 1 else [line],
            language="javascript", frames=(frame,), weight=1,
        )  # fmt: skip
        yield find


def _linted(lines: Stream, index: int, match: re.Match[str], file: str) -> Find:
    """What lintrunner says of one place: the rule's name, and the first line of the paragraph below it."""
    end = index + 1
    while end < min(index + 40, len(lines)) and lines[end].text.startswith("    "):
        end += 1
    said = lines[index + 1].text.strip() if end > index + 1 else ""
    # A linter that failed itself is said to have done so twice.
    message = match["message"] if said.startswith(match["message"]) else f"{match['message']}\n{said}".strip()
    frames = (Frame(file, ""),) if file else ()
    return spotted(NAME, "lint", match["linter"], message, lines[index], lines[index:end], frames=frames)
