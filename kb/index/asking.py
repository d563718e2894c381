"""From the text of the search box to a query: filters are taken out of it, where they are ones.

Error text is full of colons, so only known names with no space behind the colon are filters, and only with values that
they take. All else is text, and a note says so where a filter may have been meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from kb.errors import UsageError
from kb.expressions import late
from kb.index.docs import Docs
from kb.index.facets import CLOSED, FILTERS, Filter, since
from kb.index.pieces import folded
from kb.index.query import Query, read_query
from kb.index.vocabulary import edits

_PIECE = late(r'(?<!\S)(?:"[^"\n]*"|(-?)([A-Za-z]{2,12}):("[^"\n]*"|[^\s:"]+))(?!\S)')
_SHOWN = 8


class _Asking:
    """What has been taken out of a text so far."""

    def __init__(self, docs: Docs, today: date) -> None:
        self.docs = docs
        self.today = today
        self.filters: dict[Filter, None] = {}
        self.notes: list[str] = []

    def take(self, match: re.Match[str]) -> str:
        """What stays of a piece of text: nothing of a filter, all of anything else."""
        if match[2] is None:
            return match[0]
        name, value = match[2].lower(), match[3].strip('"')
        found, note = self.read(name, value) if name in FILTERS else (None, _misspelled(name))
        if note:
            self.notes.append(note)
        if found is None:
            return match[0]
        self.filters[found._replace(excluded=bool(match[1]))] = None
        return ""

    def read(self, name: str, value: str) -> tuple[Filter | None, str]:
        """The filter, and what to say about it."""
        if name == "since":
            if since(value, self.today) is not None:
                return Filter(name, value.lower()), ""
            return None, f'since: takes a day (2026-01-31), a month or an age (30d, 6w), not "{value}": read as text'
        if name in CLOSED:
            for known in CLOSED[name]:
                if folded(known) == folded(value):
                    return Filter(name, known), ""
            return None, f'{name}: takes {", ".join(CLOSED[name])}, not "{value}": read as text'
        return self._open(name, value)

    def _open(self, name: str, value: str) -> tuple[Filter | None, str]:
        """A filter with one of the values that the records hold, or one that is spelled much like it."""
        asked, equals, version = value.partition("=") if name == "component" else (value, "", "")
        if folded(asked) and self.docs.has(name, asked):
            return Filter(name, value), ""
        values = self.docs.values(name)
        if near := _nearest(folded(asked), values):
            return Filter(name, near + equals + version), f"{name}:{asked} read as {name}:{near}"
        some = ", ".join(values[:_SHOWN]) + (", …" if len(values) > _SHOWN else "")
        there_are = f"there are {some}" if some else "no record names one"
        return None, f'no {name} is called "{asked}" ({there_are}): read as text'


def ask(docs: Docs, text: str, today: date, filters: Iterable[str] = ()) -> Query:
    """`text` as a query on `docs`; `filters` are meant as such (`component:vllm`).

    Raises UsageError for one of `filters` that is none. In `text`, what is no filter is text, never an error. Several
    pasted lines have none.
    """
    asking = _Asking(docs, today)
    for given in filters:
        match = _PIECE.fullmatch(given)
        if match is None or match[2] is None or asking.take(match):
            raise UsageError(_refused(given, asking.notes), hint=f"filters are {', '.join(f'{n}:' for n in FILTERS)}")
    plain = text if "\n" in text.strip() else _PIECE.sub(asking.take, text)
    return read_query(plain, tuple(asking.filters), tuple(asking.notes))


def _refused(given: str, notes: Sequence[str]) -> str:
    return notes[-1].removesuffix(": read as text") if notes else f'"{given}" is no filter'


def _misspelled(name: str) -> str:
    near = _nearest(name, FILTERS)
    return f"{name}: is no filter (did you mean {near}:?): read as text" if near else ""


def _nearest(typed: str, known: Iterable[str]) -> str:
    """The known word that is spelled most like `typed`, or that it begins when it begins no other one; else ""."""
    known = list(known)
    most = 2 if len(typed) >= 8 else 1
    away = {word: edits(typed, word) for word in known if abs(len(word) - len(typed)) <= most}
    near = min(away, key=lambda word: (away[word], word), default="")
    if len(typed) >= 3 and near and away[near] <= most:
        return near
    begun = [word for word in known if word.startswith(typed)]
    return begun[0] if len(begun) == 1 and len(typed) >= 4 else ""
