"""Names made from what people type: slugs of fixes and failures, ids of sessions."""

from __future__ import annotations

import re
import unicodedata
from datetime import date

from kb.record.model import SLUG_LENGTH

#: An id is read and typed by people: its words after the date end at about this length.
_ID_WORDS = 48
_APART = re.compile(r"[^a-z0-9.]+")
_DOTS = re.compile(r"(?<![0-9])\.|\.(?![0-9])")


def slug_of(text: str, longest: int = SLUG_LENGTH) -> str:
    """`text` as a slug of at most `longest` characters, cut between words; "" when no letter or digit is left.

    Accents are dropped; dots stay within numbers only, as in `vllm-0.15`.
    """
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode("ascii")
    words = [word for word in _APART.split(_DOTS.sub(" ", plain.replace("'", ""))) if word]
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word[:longest]
        if len(longer) > longest:
            break
        slug = longer
    return slug


def session_id(day: date, title: str, number: int = 1) -> str:
    """The id of a session begun on `day`: date and title, and the number from the second of that name on."""
    words = slug_of(title, _ID_WORDS) or "session"
    return f"{day.isoformat()}-{words}" + (f"-{number}" if number > 1 else "")
