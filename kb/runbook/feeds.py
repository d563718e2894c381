"""Atom feeds (RFC 4287) of the newest signatures and fixes: self-contained, and the same for the same knowledge."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from kb.runbook.library import Library, best_fix
from kb.runbook.phrases import proof
from kb.runbook.urls import fix_url, signature_url
from kb.runbook.visible import plain

#: How many entries a feed has.
ENTRIES = 30
#: The feeds: their file, and what they tell of.
FEEDS = {
    "feed.xml": ("signature", "fix"),
    "feed-signatures.xml": ("signature",),
    "feed-fixes.xml": ("fix",),
}
_WHAT = {"feed.xml": "new signatures and fixes", "feed-signatures.xml": "new signatures", "feed-fixes.xml": "new fixes"}
#: Ids of what has no address of its own are made of this one's (RFC 4122, name-based).
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "tag:kb-runbook:feeds")


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: str
    url: str
    title: str
    moment: str
    text: str


def feed_files(library: Library, name: str, site_url: str = "") -> Iterator[tuple[str, str]]:
    """Each feed as (file name, XML). `name` is the site's; without its public `site_url`, links are relative."""
    base = f"{site_url.rstrip('/')}/" if site_url else ""
    entries = sorted((*_signatures(library), *_fixes(library)), key=lambda one: (one.moment, one.url), reverse=True)
    for file, kinds in FEEDS.items():
        chosen = [one for one in entries if one.kind in kinds][:ENTRIES]
        yield file, _feed(file, chosen, f"{plain(name)}: {_WHAT[file]}", base, library.newest)


def _signatures(library: Library) -> Iterator[_Entry]:
    for known in library.knowledge.signatures.values():
        if known.role == "root" and known.first_seen:
            best = best_fix(known)
            said = f"Fix: {best.title}, {proof(best)}." if best else "No fix is proven yet."
            url = signature_url(known.signature.id)
            yield _Entry("signature", url, known.signature.title, known.first_seen, said)


def _fixes(library: Library) -> Iterator[_Entry]:
    for story in library.fixes.values():
        days = [facts.started for facts in (library.session(session) for session, _ in story.made) if facts]
        if days:
            helped = f"helped in {story.helped} of {story.tries} tries" if story.tries else "not verified"
            yield _Entry("fix", fix_url(story.slug), story.title, min(days), f"{story.kind}; {helped}.")


def _feed(file: str, entries: Iterable[_Entry], title: str, base: str, newest: str) -> str:
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{escape(title)}</title>",
        f"<id>{_id(base, file)}</id>",
        f"<updated>{_moment(newest)}</updated>",
        f'<link rel="self" type="application/atom+xml" href={quoteattr(base + file)}/>',
        f'<link rel="alternate" type="text/html" href={quoteattr(base or "./")}/>',
        f"<author><name>{escape(title.split(':')[0])}</name></author>",
    ]
    for one in entries:
        lines += [
            "<entry>",
            f"<title>{escape(plain(one.title))}</title>",
            f"<id>{_id(base, one.url)}</id>",
            f"<updated>{_moment(one.moment)}</updated>",
            f'<link rel="alternate" type="text/html" href={quoteattr(base + one.url)}/>',
            f'<category term="{one.kind}"/>',
            f"<summary>{escape(plain(one.text))}</summary>",
            "</entry>",
        ]
    return "\n".join([*lines, "</feed>", ""])


def _id(base: str, path: str) -> str:
    return escape(base + path) if base else uuid.uuid5(_SPACE, path).urn


def _moment(moment: str) -> str:
    """A time as RFC 3339 has it; records give whole times or days."""
    if not moment:
        return "1970-01-01T00:00:00Z"
    return moment.replace("+00:00", "Z") if "T" in moment else f"{moment[:10]}T00:00:00Z"
