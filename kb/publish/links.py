"""Checking that every link inside a built site leads to a file of it, and every fragment to an element."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: How a fragment begins that scripts answer: what the theme switches, and what the box is asked.
_FOR_SCRIPTS = ("__", "q=")
#: Pages that the theme makes with addresses of their own.
_APART = frozenset({"404.html"})


@dataclass(slots=True)
class _Anchors:
    """What one page links to, and what can be linked to in it."""

    links: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = _Anchors()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the ids and the addresses of one element."""
        for name, value in attrs:
            if name == "id" and value:
                self.found.ids.add(value)
            elif value and (name == "href" or name == "src") and tag != "base":
                self.found.links.append(value)


def broken_links(site: Path) -> list[str]:
    """A line for each link in the pages of `site` that leads to nothing in it; links to other sites are not tried."""
    pages = {page: _read(page) for page in sorted(site.rglob("*.html")) if page.name not in _APART}
    return [
        f"{page.relative_to(site).as_posix()} links to {link}"
        for page, found in pages.items()
        for link in found.links
        if not _leads_somewhere(link, page, site, pages)
    ]


def _read(page: Path) -> _Anchors:
    reader = _Reader()
    reader.feed(page.read_text("utf-8"))
    reader.close()
    return reader.found


def _leads_somewhere(link: str, page: Path, site: Path, pages: dict[Path, _Anchors]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return parts.scheme in {"http", "https", "mailto", "data"}
    target = page
    if parts.path:
        base = site if parts.path.startswith("/") else page.parent
        target = Path(base, unquote(parts.path.lstrip("/"))).resolve()
        if target.is_dir():
            target = target / "index.html"
    if not target.is_file() or not target.resolve().is_relative_to(site.resolve()):
        return False
    if not parts.fragment or parts.fragment.startswith(_FOR_SCRIPTS) or target not in pages:
        return True
    return unquote(parts.fragment) in pages[target].ids
