"""The table of wordings: every line can be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.errors import TableError
from kb.signature import wordings


def test_every_line_of_the_table_can_be_used() -> None:
    wordings.check()


@pytest.mark.parametrize("line", ["bad\ttext\tno (end\tx", "bad\ttext\tno group\t\\1"])
def test_a_line_that_cannot_be_used_is_named(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "wordings.txt"
    table.write_text(f"# a comment\n{line}\n")
    monkeypatch.setattr(wordings, "WORDINGS", table)
    monkeypatch.setattr(wordings, "_wordings", wordings._wordings.__wrapped__)
    with pytest.raises(TableError, match=r"wordings\.txt:2: not a regular expression"):
        wordings.check()
