"""What the box of the site is asked, and which signature is meant; the rank is only told where no other can be.

A signature is known by the site that raises it: its words, and gaps for what differs each time.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scale_failures import Site, failure
from search_scale import queries


class Asked(NamedTuple):
    """A query, the signature meant, and whether it can mean no other."""

    text: str
    id: str
    unique: bool


def asked_of(
    known: Mapping[str, Site], entries: Sequence[Mapping[str, str]], ids: Sequence[str], random_: random.Random
) -> dict[str, list[Asked]]:
    """The queries about these signatures, by how they are asked."""
    texts = {one["url"]: f"{one['title']} {one['text']}".lower() for one in entries}
    asked: dict[str, list[Asked]] = {}
    for id_ in ids:
        again = failure(known[id_], random_)
        line = f"{again.type}: {again.message}"
        asked.setdefault("a line as it is printed again", []).append(Asked(line, id_, printed(known, line) == {id_}))
        made = {how: text for how, (text,) in queries([known[id_]], random_).items() if "filter" not in how}
        for how, text in made.items():
            meant = made["an identifier"] if "mistake" in how else text
            name = "a line that was cut or changed" if "line" in how else how
            asked.setdefault(name, []).append(Asked(text, id_, unique(texts, meant, id_)))
    return asked


def printed(known: Mapping[str, Site], line: str) -> set[str]:
    """The signatures whose program prints such a line, and says the most of it by itself."""
    fits = {id_: len(site.message) for id_, site in known.items() if pattern(site).fullmatch(line)}
    return {id_ for id_, said in fits.items() if said == max(fits.values())}


def pattern(site: Site) -> re.Pattern[str]:
    """What a site prints."""
    return re.compile(re.escape(f"{site.type}: {site.message}").replace(re.escape("\0"), ".+"))


def unique(texts: Mapping[str, str], meant: str, id_: str) -> bool:
    """Whether a query can mean this signature only: no other signature's page holds as many of its words, or more."""
    words = set(re.findall(r"\w{3,}", meant.lower()))
    held = {url: sum(word in text for word in words) for url, text in texts.items() if url.startswith("s/")}
    mine = held.pop(f"s/{id_}/")
    return mine > max(held.values())


def rate(found: Sequence[Sequence[str]], asked: Sequence[Asked]) -> tuple[str, str]:
    """How often the signature meant is first, and among the first ten, of queries that can mean only one."""
    some = [(links, f"s/{one.id}/") for links, one in zip(found, asked, strict=True) if one.unique]
    first = sum(links[:1] == [url] for links, url in some)
    ten = sum(url in links[:10] for links, url in some)
    return (f"{first / len(some):.2f}", f"{ten / len(some):.2f}") if some else ("", "")
