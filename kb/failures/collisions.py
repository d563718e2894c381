"""Lines in which the prefixes of two sibling processes collided.

A process that writes its prefix and its text in two writes can be interrupted between them: the log then holds
`(Worker_TP0 …) (Worker_TP1 …) text of one` and, on the next line, the other's text without any prefix.
"""

from __future__ import annotations

from kb.expressions import late

_DIGITS = late(r"\d+")


class Collisions:
    """Which process still owes the text of a prefix it has already written."""

    def __init__(self) -> None:
        self._owing: str | None = None

    def owner(self, key: str, record: bool) -> str:
        """The stream key that a line with `key` belongs to.

        Of two sibling labels the last has the text (it was written last), and the first is owed the next line that is a
        record without a label.
        """
        if not key:
            owing, self._owing = self._owing, None
            return owing if owing is not None and record else key
        if key.count(";") >= 2:
            *outer, first, last = key[:-1].split(";")
            if first != last and _DIGITS.sub("", first) == _DIGITS.sub("", last):
                head = "".join(f"{label};" for label in outer)
                self._owing = f"{head}{first};"
                return f"{head}{last};"
        if key == self._owing:
            self._owing = None
        return key


def label_of(key: str) -> str:
    """The process label of the innermost prefix in `key`."""
    return key[:-1].rsplit(";", 1)[-1].partition("|")[0] if key else ""
