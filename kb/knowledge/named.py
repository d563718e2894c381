"""Which of a session's components a failure is about.

A session's components are all that its machine had: most have nothing to do with one failure of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from kb.failures.model import Failure


def named_components(components: Iterable[str], failures: Iterable[Failure]) -> tuple[str, ...]:
    """Those of `components` that the failures name in their types, lines, files or functions, in the same order."""
    said = "\n".join(text for failure in failures for text in _texts(failure)).lower().replace("-", "_")
    folded = ((name, name.lower().replace("-", "_")) for name in components)
    return tuple(name for name, word in folded if word in said and _alone(word).search(said))


def _texts(failure: Failure) -> Iterator[str]:
    yield failure.language or ""
    yield failure.type
    yield failure.text
    for frame in failure.frames:
        yield frame.file
        yield frame.function


@lru_cache(maxsize=1000)
def _alone(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
