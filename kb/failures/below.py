"""What goes on below an error line: the lines set deeper, the list after a colon, the diff of a style check."""

from collections.abc import Sequence

from kb.expressions import late
from kb.failures.lines import clean
from kb.failures.prefixes import peel

_MOST = 12
_LONGEST = 4_000
_DIFF = late(r"(?:--- |\+\+\+ |@@ |[ +-]|diff |index [0-9a-f]{7})")
_DIFF_BEGINS = ("--- ", "diff ", "@@ ")
#: What begins something of its own, however it is set.
_OWN = late(r"\s*(?:\$ |\+ |> |##\[|section_(?:start|end):|travis_|\[Pipeline\]|(?:Post job|Done\.)|The command )")


def below(lines: Sequence[str], number: int) -> list[int]:
    """The numbers of the lines below the raw line `number` that go on with what it says, a dozen at most."""
    said = _text(lines, number)
    depth = len(said) - len(said.lstrip())
    listed, blank = said.rstrip().endswith(":"), False
    diff = number < len(lines) and _text(lines, number + 1).startswith(_DIFF_BEGINS)
    kept: list[int] = []
    for at in range(number + 1, min(number + _MOST, len(lines)) + 1):
        text = _text(lines, at)
        if not text.strip():
            if blank or not listed or kept:
                break
            blank = True
        elif _OWN.match(text) or not (_deeper(text, depth) or listed or (diff and _DIFF.match(text))):
            break
        else:
            listed = listed and not (
                _deeper(text, depth) and not kept
            )  # a list that is set deeper ends where that does
            kept.append(at)
    return kept


def _deeper(text: str, depth: int) -> bool:
    return len(text) - len(text.lstrip()) > depth


def _text(lines: Sequence[str], number: int) -> str:
    return peel(clean(lines[number - 1][:_LONGEST])).text
