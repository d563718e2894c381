"""The project that commands are recorded in."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "kb.toml").write_text("")
    (folder / "sessions").mkdir()
    (folder / "prices.py").write_text("import sys\nprint(float('1,15'))\n")
    return folder
