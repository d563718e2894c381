"""The hand-written pages as documents to be found, by their sections, as MkDocs's own search plugin cut them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from kb.runbook.data.search.documents import Document
from kb.runbook.visible import plain

_INDEX = Path("search") / "search_index.json"
_TAG = re.compile(r"<[^<>]*>")
#: Characters of a section that are searched.
_LONGEST = 6000


def written_pages(site: Path) -> Iterator[Document]:
    """The sections of the pages in the folder that MkDocs wrote; none where its search plugin is off."""
    try:
        index = json.loads((site / _INDEX).read_text("utf-8"))
        found = [(str(one["location"]), str(one["title"]), str(one["text"])) for one in index["docs"]]
    except (OSError, ValueError, KeyError, TypeError):
        return
    for url, title, text in found:
        yield Document(url, "page", url, _plain(title), _plain(text)[:_LONGEST])


def _plain(html: str) -> str:
    return plain(unescape(_TAG.sub(" ", html)))
