"""Draft rules: what was imported from other tools, with where it came from, until a session proves it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from kb.errors import InputError, Location
from kb.rules.model import TriageRule
from kb.rules.portable import NotPortableError, parse
from kb.signature.model import ALGORITHM
from kb.signature.pattern import SHORTEST_ANCHOR

#: What may become a link in a page of another tool: others wrote it.
_LINK = re.compile(r"https?://[!#-;=?-Z_a-z~%\[\]]+")


@dataclass(frozen=True, slots=True)
class Draft:
    """A rule of another tool. `pattern` is portable; `original` is what stood in `source`, at `line` (0: unknown)."""

    name: str
    pattern: str
    format: str
    source: str
    line: int = 0
    original: str = ""
    note: str = ""
    url: str = ""

    @property
    def id(self) -> str:
        """An id like a signature's, from the tool and its own name for the rule."""
        digest = hashlib.sha256("\x1f".join(("draft", self.format, self.name, self.pattern)).encode()).digest()
        return f"{ALGORITHM}-{base64.b32encode(digest).decode()[:10].lower()}"


@dataclass(frozen=True, slots=True)
class Left:
    """A rule that could not be imported, and why."""

    name: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What an importer read: drafts in the order of the file, and what was left."""

    drafts: tuple[Draft, ...]
    left: tuple[Left, ...]


def dump(drafts: tuple[Draft, ...]) -> str:
    """Drafts as JSON Lines."""
    return "".join(json.dumps({"id": one.id, **asdict(one)}) + "\n" for one in drafts)


def load(path: Path) -> tuple[Draft, ...]:
    """The drafts in a file that `dump` wrote. Raises InputError with the line of what is none."""
    drafts = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", location=Location(str(path))) from error
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            row.pop("id", None)
            draft = _draft(row)
            parse(draft.pattern)
        except (ValueError, TypeError, AttributeError, NotPortableError) as error:
            raise InputError(f"is no draft rule: {error}", location=Location(str(path), number)) from error
        drafts.append(draft)
    return tuple(drafts)


def _draft(row: dict[str, Any]) -> Draft:
    """The draft that `row` holds; its values must be of the types that are declared."""
    draft = Draft(**row)
    for field in fields(draft):
        if type(getattr(draft, field.name)).__name__ != field.type:
            raise TypeError(f"{field.name} must be of type {field.type}")
    return draft


def as_rule(draft: Draft) -> TriageRule | None:
    """The draft as a rule that exporters take; None when no literal in it is long enough to look for."""
    pieces = parse(draft.pattern)
    found = max((piece.text.strip() for piece in pieces if not piece.open), key=len, default="")
    if len(found) < SHORTEST_ANCHOR:
        return None
    return TriageRule(
        id=draft.id,
        title=draft.name,
        type="",
        message=draft.name,
        role="root",
        severity="error",
        component=draft.format,
        components=(draft.format,),
        tags=("imported",),
        pieces=pieces,
        pattern=draft.pattern,
        anchor=found,
        url=draft.url if _LINK.fullmatch(draft.url) else "",
        remedy=None,
        sessions=0,
        first_seen="",
        last_seen="",
        examples=(),
    )
