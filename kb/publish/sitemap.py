"""The list of all pages for search engines, written when the site's public address is known."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape


def sitemap(site_url: str, pages: Iterable[str]) -> str:
    """The sitemap of a site whose public address is `site_url`; `pages` are the folders of its pages ("" the home)."""
    base = site_url.rstrip("/") + "/"
    lines = [f"<url><loc>{escape(base + page)}</loc></url>" for page in sorted(pages)]
    body = "\n".join(lines)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return f"{head}\n{body}\n</urlset>\n"
