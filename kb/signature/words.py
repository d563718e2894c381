"""Words of a text as postings need them: lower-case, identifiers also in their parts."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from kb.expressions import late

_TOKEN = late(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+[A-Za-z][A-Za-z0-9_]*")
_PARTS = late(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SHORTEST = 2
_PLACEHOLDERS = late(
    r"<(?:num|nums|size|hex|uuid|id|time|url|path|value|name|redacted|secret:[a-z0-9-]+|[a-z]+:\d+)>|…"
)


def words(text: str) -> tuple[str, ...]:
    """The distinct words of `text` in order of appearance: whole identifiers, then their camel and snake parts."""
    if "<" in text or "…" in text:
        text = _PLACEHOLDERS.sub(" ", text)
    return tuple(dict.fromkeys(chain.from_iterable(map(_forms, _TOKEN.findall(text)))))


@lru_cache(maxsize=50_000)
def _forms(token: str) -> tuple[str, ...]:
    """A token and its parts."""
    found = [token] if len(token) >= _SHORTEST else []
    if "_" in token or (not token.islower() and not token.isupper()):
        found += [part for part in _PARTS.findall(token) if len(part) >= _SHORTEST and not part.isdigit()]
    return tuple(word.lower() for word in found)
