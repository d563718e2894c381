"""All data files that the pages load, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from kb.runbook.data.rules import rule_files
from kb.runbook.data.search.documents import Document, Remembered, afresh, documents
from kb.runbook.data.search.earlier import Earlier, Nothing
from kb.runbook.data.search.files import search_files
from kb.runbook.library import Library


def data_files(
    library: Library, remembered: Remembered = afresh, pages: Iterable[Document] = (), earlier: Earlier | None = None
) -> Iterator[tuple[str, str | None]]:
    """The name of each data file, relative to the data folder, and its text, or None when it is as it was before.

    `pages` are the pages that were written by hand; `earlier` are the files of the build before.
    """
    yield from rule_files(library)
    yield from search_files(chain(documents(library, remembered), pages), earlier or Nothing())
