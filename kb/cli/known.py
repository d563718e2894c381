"""What the knowledge base knows of the failure that one is at."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from kb.cli.terminal import one_line
from kb.errors import KbError
from kb.home import Home

if TYPE_CHECKING:
    from kb.index.card import CardFix
    from kb.record.model import Session

#: How alike two slugs are that probably name the same fix.
_ALIKE = 0.75
_MOST = 5


def known_fixes(home: Home, session: Session) -> tuple[CardFix, ...]:
    """The fixes known for the failure that was seen last in `session`, best first; none without a usable index."""
    from kb.capture.fixing import root_of
    from kb.index.store import open_store

    signature = root_of(session)
    if signature is None or not home.index.is_file():
        return ()
    try:
        with open_store(home) as store:
            card = store.lookup_id(signature.id)
    except KbError:
        return ()
    return card.fixes[:_MOST] if card else ()


def near(slug: str, fixes: tuple[CardFix, ...]) -> str:
    """The known fix that `slug` may be another name of, or ""."""
    names = [fix.slug for fix in fixes]
    found = [] if slug in names else difflib.get_close_matches(slug, names, n=1, cutoff=_ALIKE)
    return found[0] if found else ""


def listed(fixes: tuple[CardFix, ...]) -> list[str]:
    """A line for each fix: its slug, what it is, and how often it worked."""
    return [f"{one_line(f.slug)}  ({f.kind}, worked {f.fixed} of {f.fixed + f.failed})" for f in fixes]
