"""Words of a text as postings need them: lower-case, identifiers also in their parts."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+[A-Za-z][A-Za-z0-9_]*")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SHORTEST = 2
_PLACEHOLDERS = re.compile(
    r"<(?:num|nums|size|hex|uuid|id|time|url|path|value|name|redacted|secret:[a-z0-9-]+|[a-z]+:\d+)>|…"
)


def words(text: str) -> tuple[str, ...]:
    """The distinct words of `text` in order of appearance: whole identifiers, then their camel and snake parts."""
    seen: dict[str, None] = {}
    for match in _TOKEN.finditer(_PLACEHOLDERS.sub(" ", text)):
        token = match[0]
        if len(token) >= _SHORTEST:
            seen.setdefault(token.lower())
        if "_" in token or (not token.islower() and not token.isupper()):
            for part in _PARTS.findall(token):
                if len(part) >= _SHORTEST and not part.isdigit():
                    seen.setdefault(part.lower())
    return tuple(seen)
