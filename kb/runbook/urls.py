"""Where each page lies. Names come from records, so every one is made safe for a path and unique before use."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

_SAFE = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,98}[a-z0-9])?")
_OTHER = re.compile(r"[^a-z0-9]+")

#: A folder of this name would collide with the file of its parent's own page.
_RESERVED = frozenset({"index.html"})


@lru_cache(1 << 15)
def path_name(name: str) -> str:
    """A folder name for `name`: the name itself where it is safe, else its readable part and a hash of the whole."""
    if _SAFE.fullmatch(name) and name not in _RESERVED and ".." not in name:
        return name
    readable = _OTHER.sub("-", name.lower()).strip("-")[:40].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{readable}-{digest}" if readable else digest


def signature_url(signature_id: str) -> str:
    """The page of a signature."""
    return f"s/{path_name(signature_id)}/"


def session_url(session_id: str) -> str:
    """The page of a session."""
    return f"sessions/{path_name(session_id)}/"


def fix_url(slug: str) -> str:
    """The page of a fix."""
    return f"fixes/{path_name(slug)}/"


def component_url(name: str) -> str:
    """The page of a component."""
    return f"components/{path_name(name)}/"


def tag_url(name: str) -> str:
    """The page of a tag."""
    return f"tags/{path_name(name)}/"


def table_url(section: str, number: int) -> str:
    """The page `number` (from 1) of an index table; no slug begins with an underscore, so none can collide."""
    return f"{section}/" if number == 1 else f"{section}/_{number}/"
