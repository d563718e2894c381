"""What the box searches: a document for each signature, fix, session, component and tag, as it may be typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from kb.knowledge.model import FixMade, SessionFacts, SignatureKnowledge
from kb.runbook.library import FixStory, Library, best_fix, by_frequency, fix_title, newest_first
from kb.runbook.phrases import day, helped, tries
from kb.runbook.urls import component_url, fix_url, session_url, signature_url, tag_url
from kb.runbook.visible import plain

#: How many characters of each part of a text are kept, and how many raw lines of a signature.
LONGEST, RAW_LINES = 600, 3

#: Gives the text of the session with this id, which it may know from before, or else has made.
Remembered = Callable[[str, Callable[[], str]], str]

_CAMEL = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+){2,9}")
_KIND = re.compile(r"(?:Error|Exception|Warning)$")
_SMALL = re.compile(r"[^A-Z]")
_MOST_ACRONYMS = 50


@dataclass(frozen=True, slots=True)
class Document:
    """One thing that can be found. `title` and `text` are single visible lines; `home` groups what belongs together.

    `fix` is the best fix of a signature, `helped` of `tries` times it helped; `seen` counts sessions, `last` is a date.
    """

    home: str
    kind: str
    url: str
    title: str
    text: str
    fix: str = ""
    helped: int = 0
    tries: int = 0
    seen: int = 0
    last: str = ""
    role: str = ""

    def row(self) -> list[object]:
        """What the page gets of it; the third and the fifth are all that is searched, with the acronyms of both."""
        also = acronyms(f"{self.title} {self.text}")
        facts: list[object] = [self.fix, self.helped, self.tries, self.seen, self.last, self.role]
        while facts and not facts[-1]:
            facts.pop()
        return [self.kind, self.url, self.title, self.text, also, *facts]


def afresh(_: str, make: Callable[[], str]) -> str:
    """What is remembered when nothing is."""
    return make()


def documents(library: Library, remembered: Remembered = afresh) -> Iterator[Document]:
    """All documents of `library`, in no order that means anything."""
    for known in by_frequency(library.knowledge):
        yield _signature(library, known)
    for story in library.fixes.values():
        yield _fix(story)
    for facts in newest_first(library.knowledge):
        text = remembered(facts.id, partial(_session_text, library, facts))
        yield Document(facts.id, "session", session_url(facts.id), plain(facts.title), text, last=day(facts.started))
    for name, component in library.components.items():
        seen = len(component.sessions)
        yield Document(name, "component", component_url(name), plain(name), _text(component.versions), seen=seen)
    for name, tag in library.tags.items():
        yield Document(name, "tag", tag_url(name), plain(name), "", seen=len(tag.sessions))


def acronyms(text: str) -> str:
    """The initials of names in camel case, by which people know them: OutOfMemoryError is an oom."""
    names = list(dict.fromkeys(_CAMEL.findall(text)))[:_MOST_ACRONYMS]
    return " ".join(dict.fromkeys(_SMALL.sub("", _KIND.sub("", name)).lower() for name in names))


def _signature(library: Library, known: SignatureKnowledge) -> Document:
    signature, best = known.signature, best_fix(known)
    return Document(
        min(known.sessions, default=signature.id),
        "signature",
        signature_url(signature.id),
        plain(signature.title),
        _text(_signature_words(known)),
        plain(fix_title(library, best)) if best else "",
        helped(best) if best else 0,
        tries(best) if best else 0,
        len(known.sessions),
        day(known.last_seen),
        known.role,
    )


def _fix(story: FixStory) -> Document:
    sessions = {session_id for session_id, _ in story.made}
    return Document(
        min(sessions, default=story.slug),
        "fix",
        fix_url(story.slug),
        plain(story.title),
        _text(_fix_words(story)),
        helped=story.helped,
        tries=story.tries,
        seen=len(sessions),
    )


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
    kept = library.kept.get(facts.id)
    yield from kept.words if kept else ()
