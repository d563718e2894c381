"""The runbook as plain Markdown: for a Git host, and for any generator of sites that reads a folder of it.

Text of logs and records stands in fences that are longer than any in it, or is escaped so that no dialect of Markdown
finds anything in it: what is safe must not depend on who renders it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from kb.atomic import write_text
from kb.errors import Location, SiteError
from kb.home import Home
from kb.knowledge.model import RankedFix, SessionFacts, SignatureKnowledge
from kb.publish.published import Published, published
from kb.record.model import Console, DeclaredFailure, Diagnosis, Fix, Log, Note, Session, Step
from kb.runbook.evidence import evidence_view
from kb.runbook.library import Library, best_fix, by_frequency, make_library, newest_first
from kb.runbook.phrases import RESOLUTION, count, day, proof
from kb.runbook.urls import path_name
from kb.runbook.visible import peel, plain, visible

#: The file by which a later run knows that the folder is its own.
CONFIG = "mkdocs.yml"
_MARK = "# Made by `kb site pages`."
_SPECIAL = re.compile(r"[\\`*_{}\[\]()#+\-.!<>&|~^=:$@'\"]")
_RUN = re.compile(r"`{3,}")


def write_pages(home: Home, folder: Path) -> tuple[int, Published]:
    """Write the runbook of `home` into `folder`, with a `mkdocs.yml` that any engine of MkDocs takes.

    Out: how many pages, and what of the knowledge base they tell. Pages of an earlier run that are no more are deleted.
    Raises `SiteError` when the folder holds something else.
    """
    _own(folder)
    given = published(home)
    docs = folder / "docs"
    written = set()
    for name, text in _pages(home, make_library(given.knowledge(), given.records())):
        path = docs / name
        if not path.is_file() or path.read_bytes() != text.encode("utf-8", "replace"):
            write_text(path, text.encode("utf-8", "replace").decode())
        written.add(path)
    write_text(folder / CONFIG, _config(home))
    for path in docs.rglob("*.md"):
        if path not in written:
            path.unlink()
    return len(written), given


def _own(folder: Path) -> None:
    config = folder / CONFIG
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not config.is_file() or not config.read_text("utf-8", "replace").startswith(_MARK):
        raise SiteError(
            "this folder holds something other than pages that kb wrote",
            location=Location(str(folder)),
            hint="name another folder, or empty this one yourself",
        )


def _config(home: Home) -> str:
    lines = [_MARK, f"site_name: {json.dumps(plain(home.name))}", "docs_dir: docs"]
    lines += [f"site_url: {json.dumps(home.site_url)}"] if home.site_url else []
    lines += ["nav:", "  - Signatures: index.md", "  - Sessions: sessions.md"]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """`text` as one line in which no dialect of Markdown finds anything."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", plain(text))


def _heading(text: str) -> str:
    """The first heading of a page, of which themes make the page's title by taking the escapes of its text out again:
    angle brackets would be live there."""
    return f"# {escaped(text).replace('&#60;', '‹').replace('&#62;', '›')}\n"


def fenced(text: str, language: str = "") -> str:
    """`text` in a fence that nothing in it can close."""
    body = visible(peel(text)).rstrip("\n")
    fence = "`" * max([3, *(len(run) + 1 for run in _RUN.findall(body))])
    return f"{fence}{language if language.isalpha() else ''}\n{body}\n{fence}\n"


def _prose(text: str) -> str:
    """The paragraphs of some prose as plain text; what is no paragraph stays readable as it was written."""
    parts = [part for part in re.split(r"\n\s*\n", peel(text).strip()) if part.strip()]
    return "\n".join(
        f"{escaped(part)}\n" if not re.search(r"(?m)^\s*(```|\||[-*] |\d+\.)", part) else fenced(part) for part in parts
    )


def _pages(home: Home, library: Library) -> Iterator[tuple[str, str]]:
    knowledge = library.knowledge
    known = by_frequency(knowledge)
    rows = [f"| {_signature_link(one, 's/')} | {len(one.sessions)} | {_fix_words(one)} |" for one in known]
    head = f"{_heading(home.name)}\n{count(len(known), 'signature')}; all [sessions](sessions.md).\n\n"
    yield "index.md", head + "\n".join(["| signature | sessions | best fix |", "|---|---|---|", *rows]) + "\n"
    facts = newest_first(knowledge)
    rows = [f"| {day(one.started)} | {_session_link(one, 'sessions/')} | {escaped(one.resolution)} |" for one in facts]
    yield "sessions.md", "\n".join(["# Sessions\n", "| day | session | ended |", "|---|---|---|", *rows]) + "\n"
    for one in known:
        yield f"s/{path_name(one.signature.id)}.md", "\n".join(_signature(library, one))
    for session in facts:
        record = library.records.get(session.id)
        yield f"sessions/{path_name(session.id)}.md", "\n".join(_session(session, record))


def _signature_link(known: SignatureKnowledge, folder: str) -> str:
    return f"[{escaped(known.signature.title)}]({folder}{path_name(known.signature.id)}.md)"


def _session_link(facts: SessionFacts, folder: str) -> str:
    return f"[{escaped(facts.title)}]({folder}{path_name(facts.id)}.md)"


def _fix_words(known: SignatureKnowledge) -> str:
    best = best_fix(known)
    return f"{escaped(best.title or best.slug)}: {escaped(proof(best))}" if best else ""


def _signature(library: Library, known: SignatureKnowledge) -> Iterator[str]:
    yield _heading(known.signature.title)
    seen = f"seen in {count(len(known.sessions), 'session')}, last on {day(known.last_seen)}"
    yield f"`{known.signature.id}` · {known.role} · {seen}\n"
    best = best_fix(known)
    yield "## Do this first\n"
    if best:
        yield from _fix(best)
    else:
        yield "No fix is proven yet.\n"
    evidence = evidence_view(library, known)
    if evidence:
        yield "## Is it this one?\n"
        yield fenced("\n".join(evidence.excerpt.lines), "text")
    dead = {fix.slug for fix in known.dead_ends}
    for title, fixes in (
        ("## Other fixes\n", [fix for fix in known.fixes if fix != best and fix.slug not in dead]),
        ("## Dead ends\n", list(known.dead_ends)),
    ):
        yield from [title] if fixes else []
        for fix in fixes:
            yield from _fix(fix)
    if known.next:
        yield "## What comes next\n"
        for chain in known.next:
            after = library.signature(chain.after)
            link = _signature_link(after, "") if after else escaped(chain.after)
            yield f"- after {escaped(chain.fix)}: {link}"
        yield ""
    yield "## Where it was seen\n"
    for session_id in known.sessions:
        facts = library.session(session_id)
        if facts:
            yield f"- {day(facts.started)} {_session_link(facts, '../sessions/')}"
    yield "\n## How it is recognised\n"
    yield fenced(known.signature.pattern or known.signature.template, "text")


def _fix(fix: RankedFix) -> Iterator[str]:
    yield f"**{escaped(fix.title or fix.slug)}** ({escaped(fix.kind)}): {escaped(proof(fix))}\n"
    for _, made in fix.made[:1]:
        yield _prose(made.prose)
        for language, body in made.blocks:
            yield fenced(body, language)


def _session(facts: SessionFacts, record: Session | None) -> Iterator[str]:
    yield _heading(facts.title)
    versions = ", ".join(escaped(f"{name} {version}") for name, version in facts.components.items())
    ended = escaped(RESOLUTION.get(facts.resolution, facts.resolution))
    yield f"`{facts.id}` · {day(facts.started)} · {ended} · {versions}\n"
    yield _prose(record.introduction if record else facts.summary)
    for number, attempt in enumerate(record.attempts if record else (), 1):
        yield f"## Attempt {number}: {escaped(attempt.title)}\n"
        for step in attempt.steps:
            yield from _step(step)
    if record and record.closing.strip():
        yield "## How it ended\n"
        yield _prose(record.closing)


def _step(step: Step) -> Iterator[str]:
    match step:
        case Console() | Log():
            yield fenced(step.body, "text")
        case Diagnosis():
            yield f"### Diagnosis\n\n{_prose(step.prose)}"
        case Fix():
            yield f"### Fix: {escaped(step.slug)}\n\n{_prose(step.prose)}"
            for block in step.blocks:
                yield fenced(block.body, block.language)
        case DeclaredFailure():
            yield f"### Failure: {escaped(step.slug)}\n\n{_prose(step.prose)}"
        case Note():
            yield _prose(step.prose)
