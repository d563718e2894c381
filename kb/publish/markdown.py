"""The runbook as plain Markdown: for a Git host, and for any generator of sites that reads a folder of it."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

from kb.atomic import write_text
from kb.errors import Location, SiteError
from kb.home import Home
from kb.publish.from_html import markdown
from kb.publish.plain_markdown import escaped
from kb.publish.published import Published, published
from kb.runbook.library import Library, make_library
from kb.runbook.pages import drafts
from kb.runbook.templating import Templates
from kb.runbook.visible import plain

#: The file by which a later run knows that the folder is its own.
CONFIG = "mkdocs.yml"
_MARK = "# Made by `kb site pages`."

#: What the menu shows; all else is linked from there.
_MENU = {
    "Most frequent": "index.md",
    "Signatures": "signatures.md",
    "Sessions": "sessions.md",
    "Fixes": "fixes.md",
    "Components": "components.md",
    "Tags": "tags.md",
    "Open work": "work.md",
    "Statistics": "statistics.md",
}
#: What only the site has: the rules are files, which `kb rules export` writes, too.
_ELSEWHERE = ("rules/", "search/", "guide/", "assets/")
_ABSOLUTE = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)


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
    write_text(folder / CONFIG, _config(home, {path.name for path in written if path.parent == docs}))
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


def _config(home: Home, names: set[str]) -> str:
    lines = [_MARK, f"site_name: {json.dumps(plain(home.name))}", "docs_dir: docs"]
    lines += [f"site_url: {json.dumps(home.site_url)}"] if home.site_url else []
    lines += ["nav:", *(f"  - {title}: {name}" for title, name in _MENU.items() if name in names)]
    return "\n".join(lines) + "\n"


def _pages(home: Home, library: Library) -> Iterator[tuple[str, str]]:
    """The name and the text of each page."""
    templates = Templates(home, library.knowledge.sessions.keys())
    for draft in drafts(library, templates):
        page = draft.render()
        text = markdown(page.body, partial(_leads, page.url))
        # The home page of a site has a heading of its own.
        yield _file(page.url), text if page.url else f"# {escaped(home.name)}\n\n{text}"


def _file(url: str) -> str:
    return f"{url.rstrip('/')}.md" if url else "index.md"


def _leads(url: str, href: str) -> str:
    """Where a link of the page at `url` leads, "" where it leads nowhere in the Markdown."""
    if _ABSOLUTE.match(href):
        return quote(href, safe="/:?#@!$&+,;=%~.-")
    target = urlsplit(urljoin(f"/{url}", href))
    path = target.path.removeprefix("/")
    if href.startswith("#") or target.scheme or path.startswith(_ELSEWHERE) or not (path.endswith("/") or not path):
        return ""
    return posixpath.relpath(_file(path), posixpath.dirname(_file(url)) or ".")
