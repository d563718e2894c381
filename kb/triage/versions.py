"""The versions that fixes are judged by: those that the reader gives, and those that the log states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kb.expressions import late
from kb.failures.lines import clean
from kb.index.card import CardFix
from kb.knowledge.applies import components
from kb.knowledge.versions import key, versions_in

#: Versions are looked for in so many lines of the log: they stand at its head.
_HEAD = 2000
_POINT = late(r"\d\.\d|\+cu\d")


class Versions:
    """Versions by component, looked for in the lines of a log when a fix first asks for them."""

    def __init__(self, lines: Sequence[str], given: Mapping[str, str]) -> None:
        self._lines = lines
        self._given = {key(name): version for name, version in given.items()}
        self._text: str | None = None
        self._found: dict[str, str] = {}

    def for_fixes(self, fixes: Iterable[CardFix]) -> dict[str, str]:
        """The versions of all components that these fixes name, where they are known."""
        names = dict.fromkeys(name for fix in fixes for name in (*components(fix.applies), *fix.versions))
        return {name: version for name in names if (version := self._of(name))}

    def known(self) -> dict[str, str]:
        """What the reader gave, and what was asked for and found."""
        return self._given | {name: version for name, version in self._found.items() if version}

    def _of(self, name: str) -> str:
        called = key(name)
        if called in self._given:
            return self._given[called]
        if called not in self._found:
            if self._text is None:
                # A version has a point between digits: other lines need no cleaning.
                self._text = "\n".join(clean(line) for line in self._lines[:_HEAD] if _POINT.search(line))
            self._found[called] = versions_in(self._text, [called]).get(called, "")
        return self._found[called]
