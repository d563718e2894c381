"""Running the command line inside the test's own process."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kb.cli.main import run


class Ran(NamedTuple):
    """What a command did: its exit status and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Kb = Callable[..., Ran]


@pytest.fixture
def kb(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Kb:
    """Call `kb("check", "x.md")`; `stdin` is what standard input holds."""

    def call(*arguments: str | Path, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert isinstance(exit_.value.code, int)
        return Ran(exit_.value.code, out, err)

    return call


@pytest.fixture
def base(tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A knowledge base with the sample session, and the sample log, as the working directory."""
    (tmp_path / "kb.toml").write_text('name = "test"\n')
    (tmp_path / "sessions").mkdir()
    shutil.copy(sample / "2026-01-31-parser-eats-commas.md", tmp_path / "sessions")
    shutil.copy(sample / "new.log", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
