"""Commits become a session: their changes as fixes, and what their messages tell of what they fixed."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kb.capture.importers.commits import read_commits
from kb.capture.importers.drafting import Drafted
from kb.capture.importers.reading import without_home
from kb.errors import UsageError
from kb.record.model import Console, Fix, Session

MESSAGE = """\
fix(app): take port 8000 where none is configured

A configuration without a port ended the server:

    $ python3 app.py config.json
    Traceback (most recent call last):
      File "app.py", line 4, in port
        return config["server"]["port"]
    KeyError: 'port'

Closes: #42
Reported-by: Someone
"""


def git(folder: Path, *arguments: str, at: int = 0) -> str:
    own = {
        **os.environ,
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _IDENTITY.items()},
        "GIT_AUTHOR_DATE": f"{1_772_445_600 + at} +0000",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    return subprocess.run(
        ["git", *arguments], cwd=folder, env=own, capture_output=True, text=True, check=True
    ).stdout.strip()


_IDENTITY = {"NAME": "Me", "EMAIL": "me@example.org"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "app.py").write_text('def port(config):\n    return config["server"]["port"]\n')
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "Begin")
    (tmp_path / "app.py").write_text('def port(config):\n    return config["server"].get("port", 8000)\n')
    git(tmp_path, "commit", "-q", "-a", "-m", MESSAGE, at=3600)
    (tmp_path / "README.md").write_text("The port is 8000 by default.\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "Tell of the default port", at=7200)
    return tmp_path


def drafted(folder: Path, range_: str) -> Drafted:
    return without_home(read_commits(folder, range_), str, otherwise=datetime(2026, 1, 1, tzinfo=UTC))


def fixes(session: Session) -> list[Fix]:
    return [step for attempt in session.attempts for step in attempt.steps if isinstance(step, Fix)]


def test_a_commit_is_a_fix_of_the_failure_that_its_message_quotes(repository: Path) -> None:
    session = drafted(repository, "HEAD~1").session
    assert session.title == "fix(app): take port 8000 where none is configured"
    assert session.started == datetime(2026, 3, 2, 11, tzinfo=UTC)
    console = session.attempts[0].steps[0]
    assert isinstance(console, Console)
    assert console.body.startswith("$ python3 app.py config.json\nTraceback")
    (fix,) = fixes(session)
    assert fix.slug == "take-port-8000-where-none-is-configured"
    assert fix.target == "app.py"
    assert '+    return config["server"].get("port", 8000)\n' in fix.blocks[0].body
    assert "Closes: #42" in fix.prose


def test_the_patch_of_a_fix_can_be_applied_again(repository: Path) -> None:
    (fix,) = fixes(drafted(repository, "HEAD~1").session)
    git(repository, "checkout", "-q", "HEAD~2")
    patch = repository / "fix.patch"
    patch.write_text(fix.blocks[0].body)
    git(repository, "apply", "fix.patch")
    assert "8000" in (repository / "app.py").read_text()


def test_a_range_is_one_session_with_a_fix_for_each_commit(repository: Path) -> None:
    result = drafted(repository, "HEAD~2..HEAD")
    assert [fix.slug for fix in fixes(result.session)] == [
        "take-port-8000-where-none-is-configured",
        "tell-of-the-default-port",
    ]
    assert any("shows that it helped" in one.message for one in result.open)


def test_a_message_without_a_log_leaves_the_failure_open(repository: Path) -> None:
    assert any("what the failure looked like" in one.message for one in drafted(repository, "HEAD").open)


@pytest.mark.parametrize("range_", ["nothing", "HEAD..HEAD", "--all", "--output=/tmp/x", "HEAD~9..HEAD"])
def test_what_is_no_range_is_an_error(repository: Path, range_: str) -> None:
    with pytest.raises(UsageError):
        read_commits(repository, range_)


def test_no_program_that_the_repository_names_is_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    folder = tmp_path / "there"
    for command in (
        ["init", "--quiet", "there"],
        ["-C", "there", "config", "diff.evil.textconv", f"touch {ran} #"],
        ["-C", "there", "config", "diff.external", f"touch {ran} #"],
        ["-C", "there", "config", "log.showSignature", "true"],
        ["-C", "there", "config", "gpg.program", f"touch {ran} #"],
    ):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    for number in range(2):
        (folder / "a.txt").write_text(f"{number}\n")
        (folder / ".gitattributes").write_text("*.txt diff=evil\n")
        subprocess.run(["git", "add", "."], cwd=folder, check=True)
        made = ["-c", "user.name=me", "-c", "user.email=me@example.org", "commit", "--quiet", "-m", f"Fix {number}"]
        subprocess.run(["git", *made], cwd=folder, check=True)
    read_commits(folder, "HEAD~1..HEAD")
    assert not ran.exists()
