"""Building the site: hand-written pages from MkDocs, kb's pages stamped beside them, data for the browser."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kb.collecting import collecting_at
from kb.errors import Problem, SiteError
from kb.home import Home
from kb.knowledge.model import Knowledge
from kb.publish.links import broken_links
from kb.publish.output import Before, Output, replacing, unchanged
from kb.publish.published import published
from kb.publish.sitemap import sitemap
from kb.publish.stamping import Stamper
from kb.publish.theme import Theme, finish, make_theme
from kb.publish.traces import Traces, code, traces_of
from kb.publish.written import written_pages
from kb.runbook.data.files import data_files
from kb.runbook.feeds import feed_files
from kb.runbook.library import Library, make_library
from kb.runbook.page import content_key
from kb.runbook.pages import plans
from kb.runbook.reading import Record
from kb.runbook.rules_page import URL, Sizes, make_rules, rule_files, rules_draft, rules_key
from kb.runbook.templating import Templates, template_key
from kb.runbook.watching import Watch

DATA = "assets/kb/data/"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """What was built: the folder, its number of pages of kb, how many files were written anew, what is wrong, and the
    sessions that were left out because a secret stands in their record."""

    folder: Path
    pages: int
    written: int
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def build_site(home: Home, out: Path, *, strict: bool = False, progress: Progress | None = None) -> BuiltSite:
    """Build the site of `home` into the folder `out`, replacing the one that kb built there before.

    `progress` is called with the steps done (a page, or pages made together) and the steps in all. With `strict`, a
    problem in a record, a warning of MkDocs or a broken link inside the site raises `SiteError`, and `out` stays as it
    was.
    """
    # The search for circles begins again when all that pages were made of has gone: it would look through it.
    with collecting_at(0):
        return _built(home, out, strict=strict, progress=progress)


def _built(home: Home, out: Path, *, strict: bool, progress: Progress | None) -> BuiltSite:
    given = published(home)
    theme = make_theme(home)
    if strict:
        _refuse([str(problem) for problem in given.problems], "problem of the records")
        _refuse(theme.warnings, "warning of MkDocs")
    stamp = _stamp_key(home, theme, template_key(home), given.digests)
    pages = 0 if strict else unchanged(out, stamp)
    if pages:
        return BuiltSite(out, pages, 0, given.problems, theme.warnings, given.left_out)
    knowledge = given.knowledge()
    with replacing(out) as output:
        pages = assemble(home, knowledge, given.records(), theme, output, progress, given.digests)
        output.stamp = f"{stamp} {pages}"
        if strict:
            output.complete()
            _refuse(broken_links(output.folder), "broken link")
    return BuiltSite(out, pages, output.written, given.problems, theme.warnings, given.left_out)


def assemble(
    home: Home,
    knowledge: Knowledge,
    records: Mapping[str, Record],
    theme: Theme,
    output: Output,
    progress: Progress | None = None,
    digests: Mapping[str, str] | None = None,
) -> int:
    """Fill `output` with the whole site; out: the number of pages that are kb's.

    `digests` are those of the sessions' records, by which pages are known not to have changed; without them nothing is
    kept for the next build but the pages themselves.
    """
    library = make_library(knowledge, records)
    watch = Watch(library, _digests(library) if digests is None else digests)
    templates = Templates(home, watch.names)
    traces = Traces() if digests is None else traces_of(home)
    stamper = Stamper(theme, templates, output, watch, traces)
    _take_over(theme, output)
    every = list(plans(library, templates))
    for number in stamper.carry_out(every):
        if progress:
            progress(number, len(every) + 1)
    _write_data(data_files(library, stamper.remembered, written_pages(theme.folder), Before(output, DATA)), output)
    _write_rules(home, knowledge, theme, templates, output)
    if progress:
        progress(len(every) + 1, len(every) + 1)
    for name, text in feed_files(library, home.name, home.site_url):
        output.write_text(name, text)
    if home.site_url:
        output.write("sitemap.xml", sitemap(home.site_url, output.pages()), "")
    traces.save()
    return stamper.pages + 1


def _digests(library: Library) -> dict[str, str]:
    """Digests of sessions that no index knows."""
    return {name: content_key(facts, library.records.get(name)) for name, facts in library.knowledge.sessions.items()}


def _stamp_key(home: Home, theme: Theme, templates: str, digests: Mapping[str, str]) -> str:
    """A hash of everything that the site is made of."""
    said = (home.name, home.site_url, home.repository, home.edit_url, theme.key, theme.shell.key, templates, code())
    return content_key(said, *sorted(digests.items()))


def stamp_into(home: Home, site: Path) -> None:
    """Add kb's pages to the folder that `mkdocs build` has just written: what the plugin does on its own."""
    given = published(home)
    theme = Theme(site, finish(site), "", ())
    assemble(home, given.knowledge(), given.records(), theme, Output(site, site, {}))


def _take_over(theme: Theme, output: Output) -> None:
    """Link the hand-written site into the output, unless it is there already."""
    if theme.folder == output.folder:
        return
    for folder, _, names in os.walk(theme.folder):
        for name in names:
            path = Path(folder, name)
            output.link(path.relative_to(theme.folder).as_posix(), path, f"theme {theme.key}")


def _write_data(files: Iterable[tuple[str, str | None]], output: Output) -> None:
    """Write the data files whose text has changed."""
    for name, text in files:
        if text is None:
            output.keep(DATA + name)
        else:
            output.write_text(DATA + name, text)


def _write_rules(home: Home, knowledge: Knowledge, theme: Theme, templates: Templates, output: Output) -> None:
    """The page of triage rules and the files that it offers; none are made again when nothing that they say changed."""
    page, key = f"{URL}index.html", rules_key(knowledge, home.site_url)
    key = content_key(key, home.name, theme.shell.key, templates.fingerprint, code())[:20]
    before = [name for name in output.before if name.startswith(URL)]
    if page in before and all(output.reuse(name, key) for name in before):
        return
    rules = make_rules(knowledge, home.site_url)
    files: dict[str, Sizes] = {}
    for target, made in rule_files(rules, home.name):
        for file in made:
            output.write(f"{URL}{target}/{file.path}", file.text, key)
        files[target] = tuple((file.path, len(file.text.encode())) for file in made)
    output.write(page, theme.shell.stamp(rules_draft(rules, files, templates).render()), key)


def _refuse(found: tuple[str, ...] | list[str], what: str) -> None:
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise SiteError(f"{what}: {found[0]}{more}", hint="without --strict the site is built all the same")
