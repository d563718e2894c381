"""Pattern files for ripgrep, grep and Hyperscan, and a table that says which line of them is which signature."""

from __future__ import annotations

from collections.abc import Sequence

from kb.rules.model import Exported, TriageRule

NAME = "patterns"
ABOUT = "pattern files for ripgrep (-f), grep -F (-f) and Hyperscan, with a table of what is what"
LOAD = "rg -f kb.rg LOG, grep -F -f kb.anchors LOG; line N of them is row N of kb.index.tsv."
PROVED = "ripgrep, GNU grep, Hyperscan"


def export(rules: Sequence[TriageRule], name: str) -> tuple[Exported, ...]:
    """`kb.rg`, `kb.anchors`, `kb.hs` and `kb.index.tsv`.

    None of the first two may hold an empty line: it would match every line of a log.
    """
    rows = [
        "\t".join((str(number), rule.id, rule.url, _cell(rule.component), _cell(rule.title)))
        for number, rule in enumerate(rules, 1)
    ]
    return (
        Exported("kb.rg", _lines([rule.pattern for rule in rules])),
        Exported("kb.anchors", _lines([rule.anchor for rule in rules])),
        Exported("kb.hs", _lines([f"{number}:/{rule.pattern}/sH" for number, rule in enumerate(rules, 1)])),
        Exported("kb.index.tsv", _lines(["line\tid\turl\tcomponent\ttitle", *rows])),
    )


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _cell(text: str) -> str:
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(text.split())
