"""Git is asked without running what the repository itself names: it may be anybody's."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from kb.capture.current import Current
from kb.capture.git import git
from kb.capture.run.git_state import git_state
from kb.capture.snapshot import start_of, take
from kb.home import Home

SETTINGS = (
    *("core.fsmonitor", "filter.x=y.clean", "filter.x=y.smudge", "filter.p.process", "diff.d.textconv"),
    *("diff.d.command", "diff.external", "gpg.program", "core.pager", "core.sshCommand"),
)
HOOKS = ("post-index-change", "fsmonitor-watchman", "pre-auto-gc")


def run(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def dangerous(folder: Path, program: Path) -> None:
    """Let the repository of `folder` name `program` wherever a program can be named."""
    for name in SETTINGS:
        run(folder, "config", name, str(program))
    for name, value in (("filter.x=y.required", "true"), ("log.showSignature", "true"), ("diff.submodule", "diff")):
        run(folder, "config", name, value)
    shown = subprocess.run(["git", "rev-parse", "--git-path", "hooks"], cwd=folder, capture_output=True, text=True)
    hooks = folder / shown.stdout.strip()
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).write_bytes(program.read_bytes())
        (hooks / name).chmod(0o755)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a submodule, whose files differ from the commit; any program it names leaves a file `ran`."""
    inner, folder = tmp_path / "inner", tmp_path / "repository"
    for one in (inner, folder):
        one.mkdir()
        run(one, "init", "--quiet")
        (one / "a.txt").write_text("old\n")
        (one / "b.txt").write_text("old\n")
        (one / ".gitattributes").write_text("a.txt filter=x=y diff=d\nb.txt filter=p diff=d\n")
        run(one, "add", ".")
        run(one, "commit", "--quiet", "-m", "begin")
    run(folder, "submodule", "--quiet", "add", str(inner), "sub")
    run(folder, "commit", "--quiet", "-m", "submodule")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{tmp_path}/ran'\nexec cat\n")
    program.chmod(0o755)
    for one in (folder, folder / "sub"):
        dangerous(one, program)
        for name in ("a.txt", "b.txt"):
            (one / name).write_text("new\n")
            os.utime(one / name, (1, 1))
    return folder


def test_nothing_that_a_repository_names_is_run(repository: Path) -> None:
    state = git_state(str(repository))
    snapshot = take(Current(Home(repository), "2026-01-31-x", "", ""), repository)
    for command in (("log", "-1", "--format=%h"), ("ls-files", "-z"), ("show", "HEAD:a.txt")):
        assert git(repository, *command)
    ran = repository.parent / "ran"
    assert not ran.exists(), ran.read_text()
    assert state is not None
    assert "-old\n+new\n" in state.diff
    assert snapshot is not None
    assert snapshot.files["a.txt"] == "new\n"


def test_the_programs_of_the_fixture_would_run(repository: Path) -> None:
    """Else the test above says nothing."""
    run(repository, "diff", "HEAD")
    assert (repository.parent / "ran").exists()


def test_the_users_own_filters_stay_in_force(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "gitconfig"
    own.write_text('[filter "mine"]\n\tclean = tr n m\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    (repository / ".gitattributes").write_text("b.txt filter=mine\n")
    assert "+mew" in (git(repository, "diff", "HEAD", "--", "b.txt") or "")


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "a/../../outside"])
def test_a_snapshot_that_leads_out_of_its_folder_is_none(tmp_path: Path, name: str) -> None:
    current = Current(Home(tmp_path), "2026-01-31-x", "", "")
    path = tmp_path / ".kb" / "snapshots" / current.id / "1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"root": str(tmp_path), "commit": "", "files": {name: "x"}}))
    assert start_of(current, 1) is None


@pytest.mark.parametrize("commit", ["--output=/tmp/x", "HEAD"])
def test_a_snapshot_names_its_commit_by_a_hash(tmp_path: Path, commit: str) -> None:
    current = Current(Home(tmp_path), "2026-01-31-x", "", "")
    path = tmp_path / ".kb" / "snapshots" / current.id / "1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"root": str(tmp_path), "commit": commit, "files": {}}))
    assert start_of(current, 1) is None
