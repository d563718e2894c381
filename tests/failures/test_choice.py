"""A table's expressions, compiled only where a text holds the words that they need, match as if all were tried."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb.failures import phrases
from kb.failures.tables import Choice, alternatives, needle, needles, rows
from kb.signature import frames, rules

TABLES = [
    (phrases.PHRASES, 3, 1),
    (phrases.NOISE, 1, 0),
    (frames.IN_APP, 3, 2),
    (rules.GENERIC, 1, 0),
    (rules.HEADLINES, 1, 0),
]


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("a|b", ["a", "b"]),
        ("a(?:b|c)d|e", ["a(?:b|c)d", "e"]),
        (r"a\|b", [r"a\|b"]),
        ("[|]x|y", ["[|]x", "y"]),
        ("(?:a|(?:b|c))", ["(?:a|(?:b|c))"]),
    ],
)
def test_only_the_outermost_bars_part_an_expression(pattern: str, parts: list[str]) -> None:
    assert alternatives(pattern) == parts


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("Engine core initialization failed", "Engine core initialization failed"),
        (r"Worker failed with error '", "Worker failed with error '"),
        (r"make(?:\[\d+\])?: \*\*\*", "make"),
        (r"Signal 15 \(SIGTERM\)", "Signal 15 "),
        (r"colou?r of it", "r of it"),
        (r"\d+ errors", " errors"),
        (r"[Ee]rror$", "rror"),
        (r"(?:a|b)", ""),
    ],
)
def test_the_needle_is_text_that_every_match_holds(pattern: str, words: str) -> None:
    assert needle(pattern) == words


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"\b(?:no route|host is (?:down|gone))\b", ("no route", "host is ")),
        (r"(?:a|b)(?:killed|died)$", ("killed", "died")),
        (r"(?:killed|died)?", ()),
        (r"(?:killed|\d+)", ()),
        (r"(?:killed|died){1,2}", ()),
    ],
)
def test_a_group_gives_a_needle_of_each_of_its_alternatives(pattern: str, words: tuple[str, ...]) -> None:
    assert needles(pattern) == words


@pytest.mark.parametrize(("path", "columns", "column"), TABLES, ids=lambda v: getattr(v, "name", ""))
def test_needles_lose_no_match(path: Path, columns: int, column: int) -> None:
    """Every alternative is tried on texts made of its own plain parts: where it matches, its needle is there."""
    for number, cells in rows(path, columns):
        for one in alternatives(cells[column]):
            compiled = re.compile(one, re.MULTILINE)
            text = re.sub(r"\\([^\w])", r"\1", re.sub(r"[\[\]?*+^$|{}]|\(\?:|\)|\\[bdwsS]", "", one))
            for probe in (text, cells[column], f"x {text} y"):
                match = compiled.search(probe)
                needed = needles(one) or ("",)
                assert match is None or any(words in probe for words in needed), f"{path.name}:{number}"


@pytest.mark.parametrize(("path", "columns", "column"), TABLES, ids=lambda v: getattr(v, "name", ""))
def test_every_entry_of_a_shipped_table_compiles(path: Path, columns: int, column: int) -> None:
    Choice(path, [(number, cells[column]) for number, cells in rows(path, columns)]).check()


def test_the_entry_that_matches_first_in_the_text_wins(tmp_path: Path) -> None:
    choice = Choice(tmp_path / "t.txt", [(1, "later words"), (2, "first words|other"), (3, "first")])
    assert choice.search("first words, later words") == 1
    assert choice.search("later words") == 0
    assert choice.search("nothing") is None
