"""The newest version of each component that any session of the knowledge base had."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from kb.index.facets import token

_VERSION = re.compile(r"\d+(?:x\d+)*")


def newest_versions(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, str]:
    """The newest version of each of these components in an open index, by its first numbers; unknown ones are left out.

    They are read off the made-up words by which a search is narrowed to versions.
    """
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        start = token("with", name) + "v"
        rows = db.execute("SELECT term FROM doc_word WHERE term >= ? AND term < ?", (start, start[:-1] + "w"))
        versions = [
            tuple(map(int, rest.split("x"))) for (term,) in rows if _VERSION.fullmatch(rest := term[len(start) :])
        ]
        if versions:
            found[name] = ".".join(map(str, max(versions)))
    return found
