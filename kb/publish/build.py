"""Building the site: hand-written pages from MkDocs, kb's pages stamped beside them, data for the browser."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kb.errors import Problem, SiteError
from kb.home import Home
from kb.index.build import build_index
from kb.index.store import open_store
from kb.knowledge.model import Knowledge
from kb.publish.links import broken_links
from kb.publish.output import Output, link_or_copy, replacing
from kb.publish.sitemap import sitemap
from kb.publish.theme import Theme, finish, make_theme
from kb.record.folder import read_folder
from kb.record.model import Session
from kb.runbook.data.files import data_files
from kb.runbook.feeds import feed_files
from kb.runbook.library import make_library
from kb.runbook.page import Draft
from kb.runbook.pages import drafts
from kb.runbook.rules_page import URL, make_rules, rule_files, rules_draft, rules_key
from kb.runbook.templating import Templates

#: Where kb's content goes on the hand-written home page.
HOME_MARK = '<div id="kb-home"></div>'
DATA = "assets/kb/data/"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """What was built: the folder, its number of pages of kb, how many files were written anew, and what is wrong."""

    folder: Path
    pages: int
    written: int
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()


def build_site(home: Home, out: Path, *, strict: bool = False, progress: Progress | None = None) -> BuiltSite:
    """Build the site of `home` into the folder `out`, replacing the one that kb built there before.

    `progress` is called with the pages done and the pages in all. With `strict`, a problem in a record, a warning of
    MkDocs or a broken link inside the site raises `SiteError`, and `out` stays as it was.
    """
    knowledge, records, problems = read_knowledge(home)
    theme = make_theme(home)
    if strict:
        _refuse([str(problem) for problem in problems], "problem of the records")
        _refuse(theme.warnings, "warning of MkDocs")
    with replacing(out) as output:
        pages = assemble(home, knowledge, records, theme, output, progress)
        if strict:
            _refuse(broken_links(output.folder), "broken link")
    return BuiltSite(out, pages, output.written, problems, theme.warnings)


def read_knowledge(home: Home) -> tuple[Knowledge, dict[str, Session], tuple[Problem, ...]]:
    """The knowledge of `home` from its index, brought up to date, with its records by id and all their problems."""
    build_index(home)
    knowledge = open_store(home).knowledge()
    records: dict[str, Session] = {}
    problems: list[Problem] = []
    for _, reading in read_folder(home):
        problems.extend(reading.problems)
        if reading.session is not None:
            records.setdefault(reading.session.id, reading.session)
    return knowledge, records, tuple(problems)


def assemble(
    home: Home,
    knowledge: Knowledge,
    records: Mapping[str, Session],
    theme: Theme,
    output: Output,
    progress: Progress | None = None,
) -> int:
    """Fill `output` with the whole site; out: the number of pages that are kb's."""
    library = make_library(knowledge, records)
    templates = Templates(home, knowledge.sessions.keys())
    _take_over(theme, output)
    every = list(drafts(library, templates))
    pages = len(every) + 1
    for number, draft in enumerate(every, 1):
        _stamp(draft, theme, templates, output)
        if progress:
            progress(number, pages)
    _write_texts(((DATA + name, text) for name, text in data_files(library)), output)
    _write_rules(home, knowledge, theme, templates, output)
    if progress:
        progress(pages, pages)
    _write_texts(feed_files(library, home.name, home.site_url), output)
    if home.site_url:
        output.write("sitemap.xml", sitemap(home.site_url, output.folder), "")
    return pages


def stamp_into(home: Home, site: Path) -> None:
    """Add kb's pages to the folder that `mkdocs build` has just written: what the plugin does on its own."""
    knowledge, records, _ = read_knowledge(home)
    theme = Theme(site, finish(site), "", ())
    assemble(home, knowledge, records, theme, Output(site, site, {}))


def _take_over(theme: Theme, output: Output) -> None:
    """Link the hand-written site into the output, unless it is there already."""
    if theme.folder == output.folder:
        return
    for folder, _, names in os.walk(theme.folder):
        for name in names:
            path = Path(folder, name)
            target = output.folder / path.relative_to(theme.folder)
            target.unlink(missing_ok=True)
            link_or_copy(path, target)


def _stamp(draft: Draft, theme: Theme, templates: Templates, output: Output) -> None:
    name = f"{draft.url}index.html"
    key = hashlib.sha256(f"{draft.key}\0{theme.shell.key}\0{templates.fingerprint}".encode()).hexdigest()[:20]
    if draft.kind == "home":
        html = (theme.folder / "index.html").read_text("utf-8")
        output.write(name, html.replace(HOME_MARK, draft.render().body, 1), key)
    elif not output.reuse(name, key):
        output.write(name, theme.shell.stamp(draft.render()), key)


def _write_texts(files: Iterable[tuple[str, str]], output: Output) -> None:
    """Write the files whose text has changed."""
    for name, text in files:
        key = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]
        if not output.reuse(name, key):
            output.write(name, text, key)


def _write_rules(home: Home, knowledge: Knowledge, theme: Theme, templates: Templates, output: Output) -> None:
    """The page of triage rules and the files that it offers; none are made again when nothing that they say changed."""
    page, key = f"{URL}index.html", rules_key(knowledge, home.site_url)
    key = hashlib.sha256(f"{key}\0{home.name}\0{theme.shell.key}\0{templates.fingerprint}".encode()).hexdigest()[:20]
    before = [name for name in output.before if name.startswith(URL)]
    if page in before and all(output.reuse(name, key) for name in before):
        return
    rules = make_rules(knowledge, home.site_url)
    files = rule_files(rules, home.name)
    for target, made in files.items():
        for file in made:
            output.write(f"{URL}{target}/{file.path}", file.text, key)
    output.write(page, theme.shell.stamp(rules_draft(rules, files, templates, key).render()), key)


def _refuse(found: tuple[str, ...] | list[str], what: str) -> None:
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise SiteError(f"{what}: {found[0]}{more}", hint="without --strict the site is built all the same")
