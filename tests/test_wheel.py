"""The wheel works by itself: installed into a fresh environment, used outside the repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Path:
    """The wheel built from this checkout."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, checkout],
        check=True,
        capture_output=True,
    )
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, checkout: Path, wheel: Path) -> Path:
    """The `kb` of a fresh environment into which only the wheel was installed, in the releases of the lock."""
    folder = tmp_path_factory.mktemp("fresh") / "env"
    venv.create(folder, with_pip=True)
    binaries = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [binaries / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "--constraint", checkout / "requirements-dev.lock", wheel], check=True)
    return binaries / "kb"


def kb(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in {"KB_HOME", "PYTHONPATH"}}
    return subprocess.run([installed, *arguments], cwd=folder, env=environment, capture_output=True, text=True)


def test_the_wheel_holds_the_package_and_what_ships_with_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.startswith("kb/_shipped/templates/") for name in names)
    assert "kb/_shipped/site/mkdocs.yml" in names
    assert "kb/py.typed" in names
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert not any(name.startswith(("tests/", "bench/", "sessions/")) for name in names)


def test_the_wheel_makes_checks_builds_and_triages_a_knowledge_base(
    installed: Path, sample: Path, tmp_path: Path
) -> None:
    assert kb(installed, tmp_path, "init", "runbook").returncode == 0
    base = tmp_path / "runbook"
    shutil.copy(sample / "2026-01-31-parser-eats-commas.md", base / "sessions")

    checked = kb(installed, base, "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr

    site = kb(installed, base, "site", "build", "--strict")
    assert site.returncode == 0, site.stdout + site.stderr
    assert (base / "public" / "index.html").is_file()

    triaged = kb(installed, base, "triage", "--json", str(sample / "new.log"))
    assert triaged.returncode == 0, triaged.stdout + triaged.stderr
    answer = json.loads(triaged.stdout)
    assert answer["verdict"] == "known"
    fixes = answer["failures"][answer["primary"]]["matches"][0]["fixes"]
    assert fixes[0]["slug"] == "accept-decimal-comma"
    assert fixes[0]["fixed"] == 1
