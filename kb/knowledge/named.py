"""Which of a session's components a failure is about.

A session's components are all that its machine had: most have nothing to do with one failure of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from kb.failures.model import Failure


def named_components(components: Iterable[str], failures: Iterable[Failure]) -> tuple[str, ...]:
    """Those of `components` that the failures name in their types, lines, files or functions, in the same order."""
    texts: list[str] = []
    for failure in failures:
        texts += (failure.language or "", failure.type, failure.text)
        for frame in failure.frames:
            texts += (frame.file, frame.function)
    said = "\n".join(texts).lower().replace("-", "_")
    folded = ((name, name.lower().replace("-", "_")) for name in components)
    return tuple(name for name, word in folded if word in said and _alone(word).search(said))


@lru_cache(maxsize=1000)
def _alone(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
