"""Writing a session record: one canonical Markdown form, read back before it is given out."""

from __future__ import annotations

from collections.abc import Iterator

from kb.errors import Location, Problem, RecordError
from kb.record.attributes import write_attributes
from kb.record.bodies import write_fence
from kb.record.build import write_values
from kb.record.front_writer import mapping, scalar, sequence
from kb.record.markdown import Fence, outline
from kb.record.model import (
    FORMAT_VERSION,
    Attempt,
    Console,
    DeclaredFailure,
    Diagnosis,
    Fix,
    Log,
    Note,
    Session,
)
from kb.record.problems import Problems
from kb.record.reader import read_session
from kb.record.sections import NOTE_FENCE, is_step_fence
from kb.record.texts import UNPRINTABLE
from kb.record.values import INSTANT

#: The largest file that is a record, in bytes.
SIZE_LIMIT = 256 * 1024


def write_session(session: Session) -> str:
    """The canonical Markdown of `session`, with `\\n` at its end.

    Raises RecordError when it would be larger than a record may be, or would not read back as the same session.
    """
    text = "\n\n".join([_front(session), *_sections(session)]) + "\n"
    place = Location(f"{session.id}.md")
    if len(text.encode("utf-8")) > SIZE_LIMIT:
        hint = "keep excerpts in the record and the whole log beside it"
        raise RecordError([Problem(place, "too-large", f"a record is at most {SIZE_LIMIT // 1024} KiB", hint)])
    reading = read_session(text, place.path)
    if reading.session != session or reading.problems:
        found = reading.problems or (Problem(place, "round-trip", "the record does not read back the same"),)
        raise RecordError(found)
    return text


def _front(session: Session) -> str:
    lines = [
        "---",
        f"kb: {FORMAT_VERSION}",
        f"id: {scalar(session.id)}",
        f"title: {scalar(session.title)}",
        f"started: {INSTANT.write(session.started)}",
    ]
    if session.ended is not None:
        lines.append(f"ended: {INSTANT.write(session.ended)}")
    lines.append(f"resolution: {session.resolution}")
    lines += [
        mapping(key, texts)
        for key, texts in (("components", session.components), ("environment", session.environment))
        if texts
    ]
    if session.tags:
        lines.append(sequence("tags", session.tags))
    return "\n".join([*lines, "---"])


def _sections(session: Session) -> Iterator[str]:
    if session.introduction:
        yield _prose(session.introduction)
    for number, attempt in enumerate(session.attempts, start=1):
        yield from _attempt(number, attempt)
    if session.closing:
        yield "## Resolution"
        yield _prose(session.closing)


def _attempt(number: int, attempt: Attempt) -> Iterator[str]:
    attributes = write_attributes(write_values("attempt", attempt)) or "{}" * _needs_braces(attempt.title)
    yield f"## Attempt {number}: {attempt.title} {attributes}".rstrip()
    open_step: str = "none"
    for step in attempt.steps:
        if isinstance(step, Console | Log):
            if open_step == "fix":
                yield "### Run"
            yield write_fence(step.step, write_values(step.step, step), step.body)
            open_step = "none"
            continue
        if not isinstance(step, Note):
            yield _heading(step)
        elif open_step != "none":
            yield "### Note"
        if step.prose:
            yield _prose(step.prose, in_fix=isinstance(step, Fix))
        if isinstance(step, Fix):
            yield from (write_fence(block.language, [], block.body) for block in step.blocks)
        open_step = step.step


def _needs_braces(title: str) -> bool:
    """Whether `title`, last in its heading, loses its final # to Markdown or has braces that are read as attributes."""
    padded = f" {title}"
    closing = title.endswith("#") and padded.rstrip("#").endswith(" ")
    return closing or (title.endswith("}") and " {" in padded)


def _heading(step: Diagnosis | Fix | DeclaredFailure) -> str:
    attributes = write_attributes(write_values(step.step, step))
    words = "Diagnosis" if isinstance(step, Diagnosis) else f"{step.step.capitalize()}: {step.slug}"
    return f"### {words} {attributes}".rstrip()


def _prose(text: str, *, in_fix: bool = False) -> str:
    """`text` as it stands, or in a note fence where Markdown would read structure into it."""
    return text if _is_plain(text, in_fix=in_fix) else write_fence(NOTE_FENCE, [], text + "\n")


def _is_plain(text: str, *, in_fix: bool) -> bool:
    if UNPRINTABLE.search(text):
        return False
    problems = Problems("")
    # Between two headings: the first keeps `---` from being front matter, the last shows that nothing is swallowed.
    lines = ["## Resolution", "", *text.split("\n"), "", "## Resolution"]
    elements = outline("\n".join(lines), problems).elements
    inner = [e for e in elements if e.start not in (0, len(lines) - 1)]
    whole = len(elements) == len(inner) + 2 and not problems.sorted()
    return whole and not any(not isinstance(e, Fence) or in_fix or is_step_fence(e) for e in inner)
