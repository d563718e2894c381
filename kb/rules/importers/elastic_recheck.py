"""elastic-recheck's queries: Lucene over the field `message`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePath

from kb.rules.drafts import Imported, Left
from kb.rules.importers.documents import documents
from kb.rules.importers.interface import Found, Lines, imported

NAME = "elastic-recheck"
ABOUT = "elastic-recheck queries (YAML with a Lucene query)"

_MESSAGE = re.compile(r'(?P<not>NOT\s+)?message\s*:\s*(?P<text>"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)+/|[^\s()]+)')
_JOINED = re.compile(r"\bOR\b")


def knows(path: str, text: str) -> bool:
    """A YAML file with a query over `message`."""
    return path.endswith((".yaml", ".yml")) and re.search(r"(?m)^query:", text) is not None and "message" in text


def read(path: str, text: str) -> Imported:
    """The query, when it asks for one message: other fields only say where to look. Alternatives give a draft each."""
    table = next(iter(documents(path, text)), None)
    query = str(table.get("query", "")) if isinstance(table, dict) else ""
    return imported(NAME, path, _found(PurePath(path).stem, query, Lines(text).of("query:")))


def _found(name: str, query: str, line: int) -> Iterator[Found | Left]:
    found = list(_MESSAGE.finditer(query))
    if any(match["not"] for match in found):
        yield Left(name, line, "it excludes a message, which a rule for one line cannot")
    elif not found:
        yield Left(name, line, "it asks for no message")
    elif len(found) > 1 and not _only_or(query, found):
        yield Left(name, line, f"it asks for {len(found)} messages at once, and a rule reads one line")
    else:
        for match in found:
            yield _one(name, match["text"], line)


def _only_or(query: str, found: list[re.Match[str]]) -> bool:
    """Whether alternatives are all that stands between the messages."""
    gaps = (query[one.end() : two.start()] for one, two in pairwise(found))
    return all(_JOINED.search(gap) and "AND" not in gap for gap in gaps)


def _one(name: str, text: str, line: int) -> Found | Left:
    if text.startswith("/"):
        return Found(name, text[1:-1], line, whole=True)
    if text.startswith('"'):
        return Found(name, re.sub(r"\\(.)", r"\1", text[1:-1]), line, plain=True, note="a phrase: words in this order")
    if "*" in text or "?" in text:
        return Left(name, line, "a wildcard over one word")
    return Found(name, text, line, plain=True)
