"""What else a signature could be taken for or stands beside: look-alikes with their difference, relatives, variants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from kb.knowledge.model import SignatureKnowledge
from kb.runbook.library import Library
from kb.runbook.phrases import count
from kb.runbook.views import LinkView, fix_link, session_link, signature_link

#: How many relatives and variants a page names, and among how many sessions or signatures relatives are looked for.
MOST, AMONG = 8, 50


class LookalikeView(NamedTuple):
    """A signature that looks like this one: its template, and the words that only it has and only this one has."""

    link: LinkView
    template: str
    there: str
    here: str


class RelatedView(NamedTuple):
    """A signature that has to do with this one, and what that is."""

    link: LinkView
    how: str
    by: LinkView | None


class VariantView(NamedTuple):
    """Occurrences that came by the same functions, the innermost first."""

    functions: str
    sessions: int
    newest: LinkView


def lookalike_views(library: Library, known: SignatureKnowledge) -> Iterator[LookalikeView]:
    """The signatures that look like `known`, each with the difference named."""
    mine = known.signature.template.split()
    for signature_id in library.alike.get(known.signature.id, ()):
        template = library.knowledge.signatures[signature_id].signature.template
        theirs = template.split()
        yield LookalikeView(
            signature_link(library, signature_id),
            template,
            " ".join(word for word in theirs if word not in mine),
            " ".join(word for word in mine if word not in theirs),
        )


def related_views(library: Library, known: SignatureKnowledge) -> tuple[RelatedView, ...]:
    """Signatures met in the same sessions, and those that the same fix helped; chains have a section of their own."""
    own = known.signature.id
    left = {own, *library.alike.get(own, ()), *(c.after for c in known.next), *(c.before for c in known.previous)}
    found: dict[str, RelatedView] = {}
    for fix in known.fixes:
        story = library.fixes.get(fix.slug)
        for other, ranked in story.against[:AMONG] if story and (fix.fixed or fix.progressed) else ():
            if other not in left and other not in found and (ranked.fixed or ranked.progressed):
                by = fix_link(library, fix.slug)
                found[other] = RelatedView(signature_link(library, other), "helped by the same fix", by)
                if len(found) >= MOST:
                    return tuple(found.values())
    beside = Counter(
        other
        for session in known.sessions[:AMONG]
        for other in {one.signature.id for one in getattr(library.session(session), "occurrences", ())}
        if other not in left and other not in found
    )
    for other, times in sorted(beside.items(), key=lambda pair: (-pair[1], pair[0])):
        how = f"seen in {count(times, 'session')} of this one"
        found[other] = RelatedView(signature_link(library, other), how, None)
        if len(found) >= MOST:
            break
    return tuple(found.values())[:MOST]


def variant_views(library: Library, known: SignatureKnowledge) -> tuple[VariantView, ...]:
    """The ways in which it came about, the most frequent first; none when there is only one."""
    sessions: dict[str, dict[str, None]] = {}
    for session, seen in known.occurrences:
        if seen.signature.variant:
            sessions.setdefault(seen.signature.variant, {})[session] = None
    if len(sessions) < 2:
        return ()
    ordered = sorted(sessions.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:MOST]
    return tuple(VariantView(name, len(ids), session_link(library, next(iter(ids)))) for name, ids in ordered)
