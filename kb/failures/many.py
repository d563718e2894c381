"""Of very many failures, those that are told: the first ones of each kind, so that an answer stays bounded."""

from collections import Counter
from collections.abc import Iterable

from kb.failures.found import Find

#: Of equal failures so many are kept, and so many of all.
_EQUAL = 50
ALL = 20_000
_NO_DIGITS = str.maketrans("", "", "0123456789")


class Told:
    """Which of the failures that come in the order of a log are told; equal ones differ in digits only."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._kept = 0

    def takes(self, find: Find) -> bool:
        """Whether `find` is kept; it counts either way."""
        key = (find.type, without_digits(find.message[:200]))
        self._counts[key] += 1
        if self._counts[key] > _EQUAL or self._kept >= ALL:
            return False
        self._kept += 1
        return True


def without_digits(text: str) -> str:
    """`text` as another one that differs in digits only has it."""
    return text.translate(_NO_DIGITS)


def seen_often(count: int) -> bool:
    """Whether what was seen so often need not be told again."""
    return count > _EQUAL


def tied(finds: Iterable[Find]) -> list[Find]:
    """The finds, each without its ties to those that are not among them."""
    kept = list(finds)
    known = {id(find) for find in kept}
    for find in kept:
        find.inner = [(relation, inner) for relation, inner in find.inner if id(inner) in known]
    return kept


def bounded(finds: list[Find]) -> list[Find]:
    """The finds of a log in its order; of more than `ALL` the first ones of each kind."""
    if len(finds) <= ALL:
        return finds
    told = Told()
    return tied(find for find in finds if told.takes(find))
