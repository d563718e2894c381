"""Reading a session record from its Markdown, with every problem of the file at once."""

from __future__ import annotations

from typing import NamedTuple

from kb.errors import Problem
from kb.record.build import build
from kb.record.front import read_front
from kb.record.markdown import Outline, outline
from kb.record.model import Session
from kb.record.problems import Problems
from kb.record.sections import Sections, read_sections
from kb.record.texts import without_surrogates

_MARK = "---"
_BOM = "\ufeff"


class Reading(NamedTuple):
    """What a file gave: the session as far as it could be read (None without id, title or start), and its problems."""

    session: Session | None
    problems: tuple[Problem, ...]


def read_session(text: str, path: str) -> Reading:
    """Read the record `text`; `path` is the file's name in problems. Bad content is never an exception.

    A section that cannot be read is left out, and the rest is read.
    """
    problems = Problems(path)
    outlined = outline(_plain(text, problems), problems)
    lines_of_front, start = _front(outlined, problems)
    front = None if lines_of_front is None else read_front(lines_of_front, problems)
    sections = read_sections(outlined, start, problems)
    if front is None:
        return Reading(None, problems.sorted())
    fields, lines = front
    started, ended = fields.get("started"), fields.get("ended")
    if started and ended and ended < started:
        del fields["ended"]
        problems.add(lines["ended"], "dates", "the session ends before it starts", "check started and ended")
    fields |= {
        "introduction": sections.introduction,
        "attempts": sections.attempts,
        "closing": sections.closing,
    }
    session = build(Session, fields, lines, problems, word="key")
    return Reading(session, problems.sorted())


def read_below(text: str) -> Sections | None:
    """What stands below the front matter of the record `text`, as `read_session` reads it, for who knows what stands in
    it, and all problems; None when it has none."""
    problems = Problems("")
    outlined = outline(_plain(text, problems), problems)
    lines_of_front, start = _front(outlined, problems)
    return None if lines_of_front is None else read_sections(outlined, start, problems)


def _plain(text: str, problems: Problems) -> str:
    """`text` with `\\n` as its only line end and without what Markdown would change; each such thing is noted once."""
    if text.startswith(_BOM):
        problems.add(1, "byte-order-mark", "the file begins with a byte order mark", "save it as UTF-8 without one")
        text = text[1:]
    text = without_surrogates(text)
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        hint = "save the file with \\n line ends; within a body, write \\x0d and enc=c"
        problems.add(line, "carriage-return", f"{text.count(chr(13))} carriage returns, the first here", hint)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        hint = "within a body, write \\x00 and enc=c"
        problems.add(line, "nul", f"{text.count(chr(0))} NUL characters, the first here", hint)
        text = text.replace("\0", "\ufffd")
    return text


def _front(outlined: Outline, problems: Problems) -> tuple[list[str] | None, int]:
    """The lines of the front matter, None when it has none; and the line on which the sections begin."""
    lines = outlined.lines
    if outlined.front is None:
        begun = lines[0] == _MARK
        message = "the front matter is never closed" if begun else "the file does not begin with front matter"
        problems.add(1, "front-matter", message, "it stands at the top, between two lines of ---")
        return None, 0
    start, end = outlined.front
    for line in (start, end - 1):
        if lines[line] != _MARK:
            problems.add(line + 1, "front-matter", "this mark of the front matter is not exactly ---", "write ---")
    return lines[start + 1 : end - 1], end
