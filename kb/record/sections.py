"""From headings, fences and the prose between them to the attempts of a session.

The rules, in the order a reader meets them: prose under a heading belongs to it until the next heading; under a fix
every fence is a block of the fix; elsewhere in an attempt a `console` or `log` fence is a step of its own and ends
the section it stands in (after a fix, `### Run` ends it); a `note` fence is prose that Markdown would otherwise
misread; any other fence is part of the prose.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from kb.record.bodies import ENCODING, ESCAPED, NO_EOL, read_body
from kb.record.build import build, did_you_mean, read_values
from kb.record.markdown import Fence, Heading, Outline
from kb.record.model import Attempt, Block, Console, DeclaredFailure, Diagnosis, Fix, Log, Note
from kb.record.problems import Problems
from kb.record.texts import prose, shown

STEP_FENCES = ("console", "log")
NOTE_FENCE = "note"
#: The headings of an attempt's sections; those with a colon name a slug.
SECTIONS = ("Note", "Diagnosis", "Fix: slug", "Failure: slug", "Run")

_ATTEMPT = re.compile(r"Attempt ([0-9]{1,6}):[ \t]+(\S.*)", re.DOTALL)
_ATTEMPT_LIKE = re.compile(r"attempt", re.IGNORECASE)
_SECTION = re.compile(r"([A-Za-z]+)(:[^{]*)?[ \t]*(.*)", re.DOTALL)
_STEP_MODELS: dict[str, type[BaseModel]] = {
    "note": Note,
    "diagnosis": Diagnosis,
    "fix": Fix,
    "failure": DeclaredFailure,
}
_NAMED = ("fix", "failure")
_WORDS = {"Note": "note", "Diagnosis": "diagnosis", "Fix": "fix", "Failure": "failure", "Run": "run"}
_TYPO = 0.8


@dataclass(slots=True)
class _Section:
    """A step whose prose and blocks are still being collected."""

    kind: str
    line: int
    values: dict[str, Any] = field(default_factory=dict)
    prose: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    headed: bool = False


@dataclass(slots=True)
class _Try:
    """An attempt whose steps are still being collected."""

    line: int
    title: str
    values: dict[str, Any]
    steps: list[BaseModel] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sections:
    """What stands below the front matter."""

    introduction: str
    attempts: tuple[Attempt, ...]
    closing: str


def read_sections(outline: Outline, start: int, problems: Problems) -> Sections:
    """The sections of `outline` from the line `start` on."""
    walk = _Walk(outline, start, problems)
    for element in outline.elements:
        if element.start >= start:
            walk.meet(element)
    return walk.finish()


class _Walk:
    """The state between two elements: where in the session we are, and what is being collected."""

    def __init__(self, outline: Outline, start: int, problems: Problems) -> None:
        self._outline = outline
        self._problems = problems
        self._at = start
        self._place = "introduction"
        self._texts: dict[str, list[str]] = {"introduction": [], "resolution": [], "skipped": []}
        self._section: _Section | None = None
        self._try: _Try | None = None
        self._attempts: list[Attempt] = []
        self._resolved = False

    def meet(self, element: Heading | Fence) -> None:
        if isinstance(element, Fence):
            if self._is_structure(element):
                self._prose_until(element)
                self._fence(element)
            return
        self._prose_until(element)
        if element.level == 1:
            hint = "the title stands in the front matter; headings within prose are #### and below"
            self._problem(element, "heading", f"the heading {shown(element.text)} has one #", hint)
        elif element.level == 2:
            self._close_attempt()
            self._second_level(element)
        else:
            self._close_section()
            self._third_level(element)

    def finish(self) -> Sections:
        lines = self._outline.lines
        self._add_prose(self._outline.between(self._at, len(lines)), self._at)
        self._close_attempt()
        texts = {place: prose("\n\n".join(parts)) for place, parts in self._texts.items()}
        return Sections(texts["introduction"], tuple(self._attempts), texts["resolution"])

    def _prose_until(self, element: Heading | Fence) -> None:
        self._add_prose(self._outline.between(self._at, element.start), self._at)
        self._at = element.end

    def _add_prose(self, source: str, start: int) -> None:
        text = prose(source)
        if not text:
            return
        if self._place != "attempt":
            self._texts[self._place].append(text)
            return
        if self._section is None:
            self._section = _Section("note", start + 1)
        self._section.prose.append(text)

    def _is_structure(self, fence: Fence) -> bool:
        if self._place == "skipped":
            return False
        if fence.language == NOTE_FENCE or (self._section is not None and self._section.kind == "fix"):
            return True
        if fence.language in STEP_FENCES:
            if self._place == "attempt":
                return True
            hint = "steps stand under ## Attempt N: title; for mere text use ```text"
            message = f"this {fence.language} stands outside every attempt"
            self._problem(fence, "outside-attempt", message, hint)
        elif is_step_fence(fence):
            hint = did_you_mean(fence.language, (*STEP_FENCES, NOTE_FENCE)) + "the fences of steps are console and log"
            self._problem(fence, "fence", f"a fence of the language {shown(fence.language)} is no step", hint)
        return False

    def _fence(self, fence: Fence) -> None:
        kind = fence.language
        if kind == NOTE_FENCE:
            _, body = self._read_fence(fence, "note", (ENCODING,))
            self._add_prose(body, fence.start)
        elif self._section is not None and self._section.kind == "fix":
            _, body = self._read_fence(fence, "block", (ENCODING, NO_EOL))
            block = build(Block, {"language": kind, "body": body}, {"": fence.start + 1}, self._problems)
            if block is not None:
                self._section.blocks.append(block)
        else:
            self._close_section()
            values, body = self._read_fence(fence, kind, (ENCODING, NO_EOL))
            model = Console if kind == "console" else Log
            step = build(model, {**values, "body": body}, {"": fence.start + 1}, self._problems)
            if step is not None and self._try is not None:
                self._try.steps.append(step)

    def _read_fence(self, fence: Fence, kind: str, flags: tuple[str, ...]) -> tuple[dict[str, Any], str]:
        values = read_values(kind, fence.rest, (fence.start + 1, fence.column), self._problems, flags=flags)
        encoding = values.pop(ENCODING, "")
        if encoding not in ("", ESCAPED):
            self._problem(fence, "value", f"{ENCODING} is {shown(str(encoding))}", f"write {ENCODING}={ESCAPED}")
        if values.get(NO_EOL) is not None:
            self._problem(fence, "value", f"{NO_EOL} has a value", f"write {NO_EOL} alone")
        eol = NO_EOL not in values
        values.pop(NO_EOL, None)
        body = read_body(fence.content, escaped=encoding == ESCAPED, eol=eol)
        if body.bad_line is not None:
            message = "a backslash that escapes nothing in an escaped body"
            self._problems.add(fence.start + 1 + body.bad_line, "escape", message, r"write \\ for a backslash")
        return values, body.text

    def _second_level(self, heading: Heading) -> None:
        if self._resolved:
            hint = "the resolution is the last section, and there is one"
            self._problem(heading, "resolution", f"{shown(heading.text)} follows the resolution", hint)
        if heading.text == "Resolution":
            self._place, self._resolved = "resolution", True
        elif _ATTEMPT_LIKE.match(heading.text):
            self._open_attempt(heading)
        else:
            self._place = "skipped"
            near = did_you_mean(heading.text.split(" ")[0].split(":")[0], ("attempt", "resolution"))
            hint = near + "known: ## Attempt N: title, ## Resolution; headings within prose are #### and below"
            self._problem(heading, "heading", f"unknown heading {shown(heading.text)}", hint)

    def _open_attempt(self, heading: Heading) -> None:
        text, expected = heading.text, len(self._attempts) + 1
        values: dict[str, Any] = {}
        opening = text.rfind(" {")
        if opening >= 0 and text.endswith("}"):
            listed = text[opening + 1 :]
            at = (heading.start + 1, heading.column(listed))
            values = read_values("attempt", listed, at, self._problems)
            text = text[:opening].rstrip(" \t")
        match = _ATTEMPT.fullmatch(text)
        if match is None:
            hint = f"write ## Attempt {expected}: what was tried"
            self._problem(heading, "attempt-heading", f"{shown(text)} is no heading of an attempt", hint)
        elif int(match[1]) != expected:
            message = f"attempt {int(match[1])} stands where attempt {expected} is expected"
            self._problem(heading, "attempt-number", message, f"write ## Attempt {expected}: …")
        if values.get("reruns", 0) >= expected or values.get("reruns", 1) < 1:
            message = f"attempt {expected} reruns attempt {values.pop('reruns')}"
            self._problem(heading, "reruns", message, "name an attempt that comes before this one")
        self._place = "attempt"
        self._try = _Try(heading.start + 1, match[2] if match else text, values)

    def _third_level(self, heading: Heading) -> None:
        if self._place == "skipped":
            return
        match = _SECTION.fullmatch(heading.text)
        word, name, rest = match.groups() if match else ("", None, "")
        kind = _WORDS.get(word, "")
        if not kind or (kind in _NAMED) != (name is not None):
            known = ", ".join(f"### {section}" for section in SECTIONS)
            near = f"write ### {word}{': slug' * (kind in _NAMED)}; " if kind else did_you_mean(word, _WORDS)
            hint = f"{near}known: {known}; headings within prose are #### and below"
            self._problem(heading, "heading", f"unknown heading {shown(heading.text)}", hint)
            return
        if self._place != "attempt":
            hint = "steps stand under ## Attempt N: title; headings within prose are #### and below"
            self._problem(heading, "outside-attempt", f"{shown(heading.text)} stands outside every attempt", hint)
            return
        at = (heading.start + 1, heading.column(rest))
        values = read_values(kind, rest, at, self._problems)
        if kind == "run":
            return
        if name is not None:
            values["slug"] = name[1:].strip(" \t")
        self._section = _Section(kind, heading.start + 1, values, headed=True)

    def _close_section(self) -> None:
        section, self._section = self._section, None
        if section is None or self._try is None:
            return
        values = {**section.values, "prose": prose("\n\n".join(section.prose))}
        if section.kind == "note" and not values["prose"]:
            self._problems.add(section.line, "empty-step", "this note is empty", "write something, or remove it")
            return
        if section.kind == "fix":
            values["blocks"] = tuple(section.blocks)
        step = build(_STEP_MODELS[section.kind], values, {"": section.line}, self._problems)
        if step is not None:
            self._try.steps.append(step)

    def _close_attempt(self) -> None:
        self._close_section()
        found, self._try = self._try, None
        if found is None:
            return
        values = {"title": found.title, **found.values, "steps": tuple(found.steps)}
        attempt = build(Attempt, values, {"": found.line}, self._problems)
        self._attempts.append(attempt or Attempt(title="untitled", steps=values["steps"]))

    def _problem(self, element: Heading | Fence, code: str, message: str, hint: str) -> None:
        self._problems.add(element.start + 1, code, message, hint)


def is_step_fence(fence: Fence) -> bool:
    """Whether `fence`, outside a fix, is no prose: it is a part of the record, or looks as if it were meant so."""
    word = fence.language.lower().rstrip("s")
    known = word in (*STEP_FENCES, NOTE_FENCE) or fence.rest.startswith("{")
    return known or difflib.SequenceMatcher(None, word[:20], "console").ratio() > _TYPO
