"""What a search can be narrowed by: components, tags, kinds, resolutions, dates, and what a document has to offer.

Each property of a document is one made-up word before its text in the full-text index, so that a filter costs what a
word costs. Such a word begins with a character that is taken out of texts, so that no record can hold one.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal, NamedTuple

from kb.expressions import late
from kb.index.pieces import folded, version_numbers

_AGO = late(r"(\d{1,5})([dwmy])")
_DATE = late(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
#: How far back whole years are counted.
_YEARS = 60

Kind = Literal["signature", "fix", "session"]
#: What a document can be about, in the order in which they are shown; the index holds the place of each.
KINDS: tuple[Kind, ...] = ("signature", "fix", "session")
#: The values of filters that take few. `has:fix` is a fix that removed the failure, at least until another one came.
CLOSED: Mapping[str, tuple[str, ...]] = {
    "kind": KINDS,
    "has": ("fix", "dead-end", "next"),
    "resolution": ("fixed", "worked-around", "mitigated", "abandoned", "open"),
}
#: Filters whose values are what the records say.
OPEN = ("component", "tag")
FILTERS = (*OPEN, *CLOSED, "since")


#: Begins made-up words. It is for private use, and the full-text index takes it for a letter.
MARK = "\ue000"
#: The made-up word of every document with a fix that helped.
PROVEN = f"{MARK}has0fix"


class Filter(NamedTuple):
    """A filter as it is applied; `excluded` asks for what it does not hold of."""

    name: str
    value: str
    excluded: bool = False

    def __str__(self) -> str:
        return f"{'-' if self.excluded else ''}{self.name}:{self.value}"


class Facets(NamedTuple):
    """What a document can be found by besides its words. `last` is the ISO date of its newest evidence, or "".

    `names` are those of the components that the failure itself names: the others are what its machine had as well.
    """

    kind: str
    components: Mapping[str, tuple[str, ...]]
    tags: tuple[str, ...]
    resolutions: tuple[str, ...]
    has: tuple[str, ...]
    last: str
    names: tuple[str, ...] = ()


@lru_cache(maxsize=10_000)
def token(name: str, value: str) -> str:
    """The made-up word for a property: behind the mark letters and digits only, so that no tokenizer cuts it."""
    return f"{MARK}{name}0{folded(value)}"


def made_up(word: str) -> bool:
    """Whether a word of the full text is one of those made up here."""
    return word.startswith(MARK)


def unmarked(text: str) -> str:
    """`text` without what begins made-up words, as documents may hold it."""
    return text if text.isascii() else text.replace(MARK, " ")


def facet_words(facets: Facets) -> str:
    """All made-up words of a document."""
    has = (token("has", what) for what in facets.has)
    own = " ".join([token("kind", facets.kind), *has, *(token("names", name) for name in facets.names)])
    return f"{own} {shared_words(facets)}".rstrip()


def shared_words(facets: Facets) -> str:
    """Those that a session has in common with the signatures and fixes that occur nowhere else."""
    return _shared(tuple(facets.components.items()), facets.tags, facets.resolutions, facets.last)


@lru_cache(maxsize=2_000)
def _shared(
    components: tuple[tuple[str, tuple[str, ...]], ...], tags: tuple[str, ...], resolutions: tuple[str, ...], last: str
) -> str:
    return " ".join(sorted(set(_words(components, tags, resolutions, last))))


def _words(
    components: Iterable[tuple[str, tuple[str, ...]]], tags: tuple[str, ...], resolutions: tuple[str, ...], last: str
) -> Iterator[str]:
    for name, versions in components:
        yield token("component", name)
        for version in versions:
            if word := _with(name, version):
                yield word
    yield from (token("tag", tag) for tag in tags)
    yield from (token("resolution", resolution) for resolution in resolutions)
    if last:
        yield token("month", last[:7])


@lru_cache(maxsize=10_000)
def _with(name: str, version: str) -> str:
    """The word for a component in a version; "" when that holds no number."""
    numbers = version_numbers(version)
    return _version_token(name, numbers) if numbers else ""


def _version_token(name: str, numbers: Iterable[str]) -> str:
    """The word for a version; that of 0.15 begins the words of all releases that belong to it."""
    return token("with", name) + "v" + "".join(f"{int(number[:9])}x" for number in numbers)


def expression(filters: Iterable[Filter], today: date) -> tuple[str, str]:
    """The part of a full-text expression that must hold, and the part that must not; "" where nothing is asked."""
    wanted: list[str] = []
    unwanted: list[str] = []
    for one in filters:
        words = _asked(one, today)
        (unwanted if one.excluded else wanted).append(f"(text : ({' OR '.join(words)}))")
    return " AND ".join(wanted), " OR ".join(unwanted)


def named(filters: Iterable[Filter]) -> str:
    """The part of an expression that holds where a failure itself names the components asked for; "" when none are."""
    names = (one.value.partition("=")[0] for one in filters if one.name == "component" and not one.excluded)
    return " AND ".join(f"(text : {_quoted('names', name)})" for name in names)


def first_day(filters: Iterable[Filter], today: date) -> str:
    """The ISO date that `since:` asks for; "" when nothing does."""
    days = [day for one in filters if one.name == "since" and not one.excluded and (day := since(one.value, today))]
    return max(days).isoformat() if days else ""


def since(value: str, today: date) -> date | None:
    """The day that `2026-01-31`, `2026-01`, `2026`, `30d`, `6w`, `3m` or `1y` means; None for anything else."""
    if ago := _AGO.fullmatch(value.lower()):
        return today - timedelta(days=min(int(ago[1]) * _DAYS[ago[2]], today.toordinal() - 1))
    if stated := _DATE.fullmatch(value):
        try:
            return date(int(stated[1]), int(stated[2] or 1), int(stated[3] or 1))
        except ValueError:
            return None
    return None


def _asked(one: Filter, today: date) -> list[str]:
    """Expressions of which one must hold."""
    if one.name == "since":
        return _months(since(one.value, today) or today, today)
    if one.name == "component" and "=" in one.value:
        name, _, version = one.value.partition("=")
        numbers = version_numbers(version)
        return [f'"{_version_token(name, numbers)}" *'] if numbers else [_quoted("component", name)]
    return [_quoted(one.name, one.value)]


def _quoted(name: str, value: str) -> str:
    return f'"{token(name, value)}"'


def _months(day: date, today: date) -> list[str]:
    """The words of the months from `day` on; of whole years, what theirs begin with."""
    last = max(today.year + 1, day.year)
    first = max(day.year, last - _YEARS)
    months = [_quoted("month", f"{first}{month:02}") for month in range(day.month if first == day.year else 1, 13)]
    return [*months, *(f"{_quoted('month', str(year))} *" for year in range(first + 1, last + 1))]
