"""What the search box searches: one line for each signature, fix, session and component, as it may be typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from kb.knowledge.model import FixMade, SessionFacts, SignatureKnowledge
from kb.record.model import Console
from kb.runbook.data.scripts import data_script
from kb.runbook.excerpts import lines_of
from kb.runbook.library import FixStory, Library, by_frequency, newest_first
from kb.runbook.session_steps import command_lines
from kb.runbook.urls import component_url, fix_url, session_url, signature_url
from kb.runbook.visible import plain

#: How many characters of each part of a line are kept, and how many raw lines of a signature.
LONGEST, RAW_LINES = 600, 3


#: Gives the text of the session with this id, which it may know from before, or else has made.
Remembered = Callable[[str, Callable[[], str]], str]


def afresh(_: str, make: Callable[[], str]) -> str:
    """What is remembered when nothing is."""
    return make()


def search_file(library: Library, remembered: Remembered = afresh) -> tuple[str, str]:
    """The file of search lines: its name relative to the data folder, and the script's text.

    A line is `kind, url, title, text`, separated by tabs; lines by line feeds.
    """
    lines = ("\t".join(plain(part) for part in parts) for parts in _lines(library, remembered))
    return "search.js", data_script("search", "\n".join(lines))


def _lines(library: Library, remembered: Remembered) -> Iterator[tuple[str, str, str, str]]:
    for known in by_frequency(library.knowledge):
        signature = known.signature
        yield "signature", signature_url(signature.id), signature.title, _text(_signature_words(known))
    for story in library.fixes.values():
        yield "fix", fix_url(story.slug), story.title, _text(_fix_words(story))
    for facts in newest_first(library.knowledge):
        yield (
            "session",
            session_url(facts.id),
            facts.title,
            remembered(facts.id, partial(_session_text, library, facts)),
        )
    for name, component in library.components.items():
        yield "component", component_url(name), name, _text(component.versions)


def _text(parts: Iterable[str]) -> str:
    """The distinct parts, each cut to what is worth searching."""
    return " · ".join(dict.fromkeys(part[:LONGEST] for part in map(plain, parts) if part))


def _signature_words(known: SignatureKnowledge) -> Iterator[str]:
    signature = known.signature
    raw = dict.fromkeys(seen.failure.text for _, seen in known.occurrences)
    yield from list(raw)[:RAW_LINES]
    yield signature.template
    for _, seen in known.occurrences[:RAW_LINES]:
        for frame in seen.failure.frames[-3:]:
            yield f"{frame.file}:{frame.line} {frame.function}"
    yield signature.id
    for merged in known.merged:
        yield f"{merged.signed} {merged.template}"
    yield from known.components
    yield from known.tags


def _fix_words(story: FixStory) -> Iterator[str]:
    yield story.slug
    yield story.kind
    for _, made in _distinct(story.made)[:2]:
        yield made.target
        yield made.prose
        for _, body in made.blocks:
            yield body


def _distinct(made: Iterable[tuple[str, FixMade]]) -> list[tuple[str, FixMade]]:
    seen: dict[tuple[object, ...], tuple[str, FixMade]] = {}
    for session_id, one in made:
        seen.setdefault((one.target, one.prose, one.blocks), (session_id, one))
    return list(seen.values())


def _session_text(library: Library, facts: SessionFacts) -> str:
    return _text(_session_words(library, facts))


def _session_words(library: Library, facts: SessionFacts) -> Iterator[str]:
    yield facts.id
    yield facts.summary
    for name, value in (*facts.components.items(), *facts.environment.items()):
        yield f"{name} {value}"
    yield from facts.tags
    record = library.records.get(facts.id)
    for attempt in record.attempts if record else ():
        yield attempt.title
        for step in attempt.steps:
            if isinstance(step, Console):
                lines = lines_of(step.body)
                commands = command_lines(lines)
                yield " ".join(lines[place] for place in commands)
                last = [line for line in lines if line.strip()][-1:]
                yield from last
