"""Which rules match a line, without trying each: a rule is filed under the rarest word of its anchor."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import re2

from kb.index.pieces import anchor_words, line_words
from kb.rules.model import TriageRule


class Lookup:
    """The rules of one set, ready to be looked up by a line."""

    def __init__(self, rules: Sequence[TriageRule]) -> None:
        words = [anchor_words(rule.anchor) for rule in rules]
        often = Counter(word for each in words for word in set(each))
        self._filed: dict[str, list[TriageRule]] = defaultdict(list)
        for rule, each in zip(rules, words, strict=True):
            self._filed[min(each, key=lambda word: (often[word], word), default="")].append(rule)
        self._compiled: dict[str, Any] = {}

    def matching(self, line: str, wanted: Callable[[TriageRule], bool] | None = None) -> Iterator[TriageRule]:
        """The rules whose pattern is found in `line`; only those `wanted` are tried."""
        for word in (*line_words(line), ""):
            for rule in self._filed.get(word, ()):
                if rule.anchor in line and (wanted is None or wanted(rule)) and self.compiled(rule).search(line):
                    yield rule

    def compiled(self, rule: TriageRule) -> Any:
        """The pattern of `rule`, compiled once."""
        if rule.id not in self._compiled:
            self._compiled[rule.id] = re2.compile(rule.pattern)
        return self._compiled[rule.id]
