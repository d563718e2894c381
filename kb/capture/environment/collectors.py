"""What is looked at to say where something ran: one small collector each, none of which must work.

A collector takes the folder one works in and gives what it finds as texts by name, or nothing. What it runs is stopped
after a few seconds.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from kb.capture.git import git

#: How long a program that a collector runs may take, in seconds.
PATIENCE = 3.0
_RELEASE = Path("/etc/os-release")
_CUDA = Path("/usr/local/cuda/version.json")
_PODMAN = Path("/run/.containerenv")
_DOCKER = Path("/.dockerenv")
#: Variables in which CI systems and images name the image.
_IMAGES = ("CI_JOB_IMAGE", "CONTAINER_IMAGE", "IMAGE_NAME")
#: Those in which GitHub's runners name theirs.
_RUNNER = ("ImageOS", "ImageVersion")
_VERSION = re.compile(r"\d+(?:\.\d+)+")

Found = Mapping[str, str]


class Collector(NamedTuple):
    """A collector: its name, where its findings stand in a record, what they are, and how they are found."""

    name: str
    into: Literal["components", "environment"]
    about: str
    collect: Callable[[Path], Found]


def _system(_: Path) -> Found:
    values = dict(
        line.split("=", 1) for line in _RELEASE.read_text("utf-8").splitlines() if "=" in line and line[0] != "#"
    )
    name = values.get("PRETTY_NAME", "").strip("\"'")
    return {"os": name} if name else {}


def _kernel(_: Path) -> Found:
    return {"kernel": f"{platform.system()} {platform.release()}", "arch": platform.machine()}


def _gpu(_: Path) -> Found:
    printed = _run("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    rows = [[part.strip() for part in line.split(",")] for line in printed.splitlines() if line.count(",") == 1]
    if not rows:
        return {}
    names = Counter(name.removeprefix("NVIDIA ") for name, _ in rows)
    return {"gpu": " + ".join(f"{count}x {name}" for name, count in names.items()), "driver": rows[0][1]}


def _cuda(_: Path) -> Found:
    if _CUDA.is_file():
        values = json.loads(_CUDA.read_text("utf-8"))
        version = values.get("cuda", {}).get("version")
        if isinstance(version, str):
            return {"cuda": version}
    found = re.search(r"release \S+, V(\d[\d.]*)", _run("nvcc", "--version"))
    return {"cuda": found[1]} if found else {}


def _python(directory: Path) -> Found:
    """The interpreter that `python` means here: of the active environment, of `.venv`, or the first on the path."""
    for folder in filter(
        None, (os.environ.get("VIRTUAL_ENV"), os.environ.get("CONDA_PREFIX"), str(directory / ".venv"))
    ):
        version = version_of_environment(Path(folder))
        if version:
            return {"python": version}
    program = shutil.which("python3") or shutil.which("python")
    found = _VERSION.search(_run(program, "-V")) if program else None
    return {"python": found[0]} if found else {}


def _container(_: Path) -> Found:
    if image := next(
        (os.environ[n] for n in ("CI_JOB_IMAGE", "CONTAINER_IMAGE", "IMAGE_NAME") if os.environ.get(n)), ""
    ):
        return {"image": image}
    if _PODMAN.is_file():
        found = re.search(r'^image="([^"]+)"', _PODMAN.read_text("utf-8"), re.MULTILINE)
        return {"image": found[1]} if found else {"container": "podman"}
    if os.environ.get("KUBERNETES_SERVICE_HOST"):
        return {"container": "kubernetes"}
    return {"container": "docker"} if _DOCKER.exists() else {}


def _ci(_: Path) -> Found:
    if os.environ.get("GITHUB_ACTIONS") == "true":
        words = map(os.environ.get, _RUNNER)
        return {"ci": " ".join(["GitHub Actions", *(word for word in words if word)])}
    if os.environ.get("GITLAB_CI"):
        return {"ci": "GitLab CI"}
    return {"ci": "yes"} if os.environ.get("CI") else {}


def _git(directory: Path) -> Found:
    described = git(directory, "log", "-1", "--format=%h")
    if described is None:
        return {}
    branch = (git(directory, "branch", "--show-current") or "").strip()
    changed = len((git(directory, "status", "--porcelain", "--untracked-files=no") or "").splitlines())
    files = f", {changed} file{'' if changed == 1 else 's'} changed" if changed else ""
    return {"git": described.strip() + (f" on {branch}" if branch else "") + files}


#: The order is that of the record.
COLLECTORS: tuple[Collector, ...] = (
    Collector("python", "components", "the Python that runs here", _python),
    Collector("cuda", "components", "the CUDA toolkit", _cuda),
    Collector("gpu", "environment", "NVIDIA GPUs and their driver, as nvidia-smi names them", _gpu),
    Collector("os", "environment", "the operating system", _system),
    Collector("kernel", "environment", "the kernel and the processor's architecture", _kernel),
    Collector("container", "environment", "the container's image, or which kind of container it is", _container),
    Collector("ci", "environment", "the CI system", _ci),
    Collector("git", "environment", "the commit of the folder, its branch, and whether files differ from it", _git),
)


def version_of_environment(folder: Path) -> str:
    """The Python version of the virtual environment `folder`, without running it; "" when it is none."""
    try:
        text = (folder / "pyvenv.cfg").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    found = re.search(r"(?m)^version(?:_info)?\s*=\s*(\d+\.\d+\.\d+)", text)
    return found[1] if found else ""


def _run(*command: str) -> str:
    """What a program prints; "" when it is missing, fails or takes too long."""
    try:
        ran = subprocess.run(command, capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ran.stdout.decode("utf-8", "replace") if ran.returncode == 0 else ""
