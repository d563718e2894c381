"""The list of all pages for search engines, written when the site's public address is known."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape


def sitemap(site_url: str, folder: Path) -> str:
    """The sitemap of the built site in `folder`, whose public address is `site_url`."""
    base = site_url.rstrip("/") + "/"
    pages = sorted(path.parent.relative_to(folder).as_posix() for path in folder.rglob("index.html"))
    lines = [f"<url><loc>{escape(base + ('' if page == '.' else page + '/'))}</loc></url>" for page in pages]
    body = "\n".join(lines)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return f"{head}\n{body}\n</urlset>\n"
