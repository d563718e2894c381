"""A knowledge base in a folder of its own, and kb run in it as a process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from terminals import environment

from kb.home import read_home
from kb.record.folder import read_file, session_files
from kb.record.model import Console, Session


def kb(folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    person = folder if (folder / "project").is_dir() else folder.parent
    return subprocess.run(
        [sys.executable, "-m", "kb", *arguments],
        cwd=folder,
        env=environment(person),
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def session(folder: Path) -> Session:
    (path,) = session_files(read_home(folder))
    reading = read_file(path, path.name)
    assert reading.problems == ()
    assert reading.session is not None
    return reading.session


def consoles(folder: Path) -> list[Console]:
    return [step for attempt in session(folder).attempts for step in attempt.steps if isinstance(step, Console)]
