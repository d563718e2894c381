"""The data tables: every line is used, and a line that cannot be used is named with file and line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb.errors import TableError
from kb.failures import phrases, prefixes
from kb.failures.tables import choice, rows
from kb.signature import masking


def test_a_line_with_too_few_columns_is_named(tmp_path: Path) -> None:
    table = tmp_path / "phrases.txt"
    table.write_text("# comment\n\nwrapper\tabc\twhy\nwrapper abc\n", "utf-8")
    with pytest.raises(TableError) as error:
        list(rows(table, 3))
    assert str(error.value).startswith(f"{table}:4: this line has 1 columns, not 3")


def test_a_broken_expression_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"t.txt:7: not a regular expression"):
        choice(tmp_path / "t.txt", [(3, "a"), (7, "(")])
    with pytest.raises(TableError, match=r"t.txt:3: groups must be"):
        choice(tmp_path / "t.txt", [(3, "(a)"), (7, "b")])


def test_no_mask_matches_the_empty_string() -> None:
    assert all(re.compile(pattern).match("") is None for _, (_, _, pattern) in rows(masking.MASKS, 3))


def test_the_shipped_tables_load() -> None:
    assert phrases.role_of("RuntimeError: Engine core initialization failed. See root cause above.") == (
        "wrapper",
        "the engine's client reports that the engine did not start",
    )
    assert phrases.role_of("ValueError: nothing special") is None
    assert phrases.is_noise("0 errors, 2 warnings")
    assert prefixes.peel("(raylet) x").process == "raylet"


def test_an_unknown_role_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "phrases.txt"
    table.write_text("boss\tabc\twhy\n", "utf-8")
    monkeypatch.setattr(phrases, "PHRASES", table)
    phrases._phrases.cache_clear()
    try:
        with pytest.raises(TableError, match="unknown role 'boss'"):
            phrases.role_of("abc")
    finally:
        phrases._phrases.cache_clear()
