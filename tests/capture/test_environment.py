"""Where something ran: what the collectors say, and that none of them can stop a session."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.capture.environment import collectors
from kb.capture.environment.collect import collect
from kb.capture.environment.packages import versions_named

SMI = """#!/bin/sh
echo 'NVIDIA H100 80GB HBM3, 550.54.15'
echo 'NVIDIA H100 80GB HBM3, 550.54.15'
echo 'NVIDIA A100, 550.54.15'
"""

Program = Callable[[str, str], None]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Put a program of this name and content first on the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def put(name: str, text: str) -> None:
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)

    return put


def found(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What one collector puts into a record."""
    only = tuple(collector for collector in collectors.COLLECTORS if collector.name == name)
    monkeypatch.setattr("kb.capture.environment.collect.COLLECTORS", only)
    facts = collect(folder)
    return {**facts.components, **facts.environment}


def test_gpus_are_counted_with_their_driver(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program("nvidia-smi", SMI)
    assert found("gpu", tmp_path, monkeypatch) == {"gpu": "2x H100 80GB HBM3 + 1x A100", "driver": "550.54.15"}


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 9\n", "#!/bin/sh\necho no devices were found\n", "no program"])
def test_without_a_gpu_there_is_none(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    program("nvidia-smi", text)
    # That one alone: a file that is no program is passed over, and the machine may have a GPU.
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert found("gpu", tmp_path, monkeypatch) == {}


def test_a_program_that_hangs_is_stopped(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program("nvidia-smi", "#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr(collectors, "PATIENCE", 0.2)
    assert found("gpu", tmp_path, monkeypatch) == {}


def test_cuda_is_told_by_its_file_or_its_compiler(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "version.json"
    monkeypatch.setattr(collectors, "_CUDA", file)
    program("nvcc", "#!/bin/sh\necho 'Cuda compilation tools, release 12.4, V12.4.131'\n")
    assert found("cuda", tmp_path, monkeypatch) == {"cuda": "12.4.131"}
    file.write_text('{"cuda": {"version": "12.6.1"}}')
    assert found("cuda", tmp_path, monkeypatch) == {"cuda": "12.6.1"}
    file.write_text("[]")
    assert found("cuda", tmp_path, monkeypatch) == {}, "a file that is not what it should be costs only its own value"


def test_the_system_is_named_as_it_names_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = tmp_path / "os-release"
    release.write_text('# x\nNAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n')
    monkeypatch.setattr(collectors, "_RELEASE", release)
    assert found("os", tmp_path, monkeypatch) == {"os": "Debian GNU/Linux 13 (trixie)"}
    release.write_bytes(b"\xff\xfe")
    assert found("os", tmp_path, monkeypatch) == {}


def test_the_image_of_a_container_where_it_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI_JOB_IMAGE", "CONTAINER_IMAGE", "IMAGE_NAME", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    podman, docker = tmp_path / "containerenv", tmp_path / "dockerenv"
    monkeypatch.setattr(collectors, "_PODMAN", podman)
    monkeypatch.setattr(collectors, "_DOCKER", docker)
    assert found("container", tmp_path, monkeypatch) == {}
    docker.touch()
    assert found("container", tmp_path, monkeypatch) == {"container": "docker"}
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    assert found("container", tmp_path, monkeypatch) == {"container": "kubernetes"}
    podman.write_text('engine="podman-4"\nimage="quay.io/x/y:1"\n')
    assert found("container", tmp_path, monkeypatch) == {"image": "quay.io/x/y:1"}
    monkeypatch.setenv("CI_JOB_IMAGE", "python:3.12")
    assert found("container", tmp_path, monkeypatch) == {"image": "python:3.12"}


def test_git_names_commit_branch_and_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("git", tmp_path, monkeypatch) == {}
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    (tmp_path / "a").write_text("1")
    for command in (["init", "-q", "-b", "work"], ["add", "a"], [*who, "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=tmp_path, capture_output=True, text=True).stdout
    assert found("git", tmp_path, monkeypatch) == {"git": f"{head.strip()} on work"}
    (tmp_path / "a").write_text("2")
    assert found("git", tmp_path, monkeypatch) == {"git": f"{head.strip()} on work, 1 file changed"}


def test_python_is_that_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = tmp_path / ".venv"
    environment.mkdir()
    (environment / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.13.2\n")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    assert found("python", tmp_path, monkeypatch) == {"python": "3.13.2"}
    (environment / "pyvenv.cfg").unlink()
    assert found("python", tmp_path, monkeypatch)["python"].startswith("3.")


def test_all_together_are_sorted_into_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("ImageOS", "ubuntu24")
    facts = collect(tmp_path)
    assert "python" in facts.components
    assert facts.environment["ci"].startswith("GitHub Actions ubuntu24")
    assert facts.environment["kernel"].startswith(os.uname().sysname)


def installed(folder: Path) -> Path:
    """A folder of packages of an environment with Python 3.12.4."""
    packages = folder / "lib" / "python3.12" / "site-packages"
    for name, modules in (("vllm-0.15.1", ""), ("PyYAML-6.0.2", "_yaml\nyaml\n"), ("typing_extensions-4.12", "")):
        info = packages / f"{name}.dist-info"
        info.mkdir(parents=True)
        (info / "top_level.txt").write_text(modules)
    (folder / "pyvenv.cfg").write_text("version_info = 3.12.4.final.0\n")
    return packages


def test_packages_that_a_traceback_names_have_the_versions_that_lie_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = installed(tmp_path / "me" / "env")
    text = (
        f'  File "{packages}/vllm/engine/core.py", line 1, in f\n'
        f'  File "{packages}/yaml/__init__.py", line 1, in g\n'
        f'  File "{packages}/typing_extensions.py", line 1, in g\n'
        f'  File "{packages}/unknown/x.py", line 1, in g\n'
        '  File "/nowhere/lib/python3.9/site-packages/torch/x.py", line 1, in g\n'
    )
    expected = {"vllm": "0.15.1", "python": "3.12.4", "pyyaml": "6.0.2", "typing-extensions": "4.12"}
    assert versions_named(text) == expected
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert versions_named(text.replace(str(tmp_path / "me"), "/home/<user:1>")) == expected
    assert versions_named("no traceback") == {}


def test_long_lines_of_paths_are_read_too() -> None:
    assert versions_named("/a" * 200_000 + " " + "/site-packages/" * 20_000) == {}
