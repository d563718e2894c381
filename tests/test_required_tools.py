"""With KB_REQUIRE_TOOLS=1, as in the checks of a change, nothing passes because a tool was missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SKIPS = {
    "a test of the browser": "@pytest.mark.browser\ndef test(): pytest.skip('no')",
    "a test without its tool": "def test(): pytest.skip('node is not installed')",
    "a mark without its tool": "@pytest.mark.skipif(True, reason='node is not installed')\ndef test(): pass",
    "a module without its tool": "pytest.importorskip('nothing_of_this_name', reason='it is not installed')",
}


@pytest.mark.parametrize("what", SKIPS)
@pytest.mark.parametrize(("required", "status"), [("1", {1, 2}), ("", {0, 5})])
def test_a_missing_tool_fails_where_tools_are_required(
    what: str, required: str, status: set[int], checkout: Path, tmp_path: Path
) -> None:
    shutil.copy(checkout / "tests" / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = browser\n")
    (tmp_path / "test_it.py").write_text(f"import pytest\n{SKIPS[what]}\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "KB_REQUIRE_TOOLS": required}, capture_output=True, text=True
    )
    assert ran.returncode in status, ran.stdout


@pytest.mark.parametrize(
    "test",
    [
        "def test(): pytest.skip('root may read every file')",
        "@pytest.mark.browser\ndef test(): pytest.skip('the logs lie beside the repository, and not here')",
    ],
)
def test_a_skip_for_another_reason_is_none_of_this(test: str, checkout: Path, tmp_path: Path) -> None:
    shutil.copy(checkout / "tests" / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = browser\n")
    (tmp_path / "test_it.py").write_text(f"import pytest\n{test}\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "KB_REQUIRE_TOOLS": "1"}, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout
