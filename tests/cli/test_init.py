"""`kb init` makes a knowledge base and takes nothing away."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from kb.errors import InputError
from kb.home import read_home

from .conftest import Kb


def test_a_new_knowledge_base_has_what_it_needs(kb: Kb, tmp_path: Path) -> None:
    ran = kb("init", tmp_path / "runbook")
    assert ran.status == 0
    assert "kb check" in ran.out
    made = {str(p.relative_to(tmp_path / "runbook")) for p in (tmp_path / "runbook").rglob("*") if p.is_file()}
    assert made == {"kb.toml", "sessions/README.md", ".gitignore", ".gitattributes"}
    assert (tmp_path / "runbook" / ".gitignore").read_text().split() == [".kb/", "public/"]
    assert (tmp_path / "runbook" / ".gitattributes").read_text() == (
        "sessions/*.md text eol=lf\ndecisions/*.yaml text eol=lf\ndecisions/former-ids-*.txt text eol=lf merge=union\n"
    )
    assert read_home(tmp_path / "runbook").name == "runbook runbook"


def test_a_knowledge_base_is_not_made_twice(kb: Kb, tmp_path: Path) -> None:
    kb("init", tmp_path)
    (tmp_path / "kb.toml").write_text('name = "mine"\n')
    ran = kb("init", tmp_path)
    assert ran.status == 64
    assert "a knowledge base already" in ran.err
    assert (tmp_path / "kb.toml").read_text() == 'name = "mine"\n'


def test_files_that_are_there_keep_their_content(kb: Kb, tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_bytes(b"caf\xe9\npublic/")
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "README.md").write_text("mine\n")
    assert kb("init", tmp_path).status == 0
    assert (tmp_path / ".gitignore").read_bytes() == b"caf\xe9\npublic/\n.kb/\n"
    assert (tmp_path / "sessions" / "README.md").read_text() == "mine\n"


def test_a_folder_with_an_odd_name_gives_valid_toml(kb: Kb, tmp_path: Path) -> None:
    folder = tmp_path / 'a "b" \\c\x7f é'
    assert kb("init", folder).status == 0
    assert tomllib.loads((folder / "kb.toml").read_text())["name"] == 'a "b" \\c\x7f é runbook'


def test_the_new_knowledge_base_passes_its_own_check(kb: Kb, tmp_path: Path) -> None:
    kb("init", tmp_path)
    assert kb("--kb", tmp_path, "check").status == 0


def test_a_folder_inside_a_file_is_refused_with_what_to_do(kb: Kb, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = kb("init", tmp_path / "file" / "base")
    assert ran.status == 64
    assert "name a folder" in ran.err


@pytest.mark.parametrize("key", ["site_url", "repository", "edit_url"])
@pytest.mark.parametrize(
    "value", ["javascript:alert(1)", 'https://x/"><script>', "https://x/ y", "//x", "https://", "https://x/\\u001b]0;t"]
)
def test_addresses_are_of_the_web(tmp_path: Path, key: str, value: str) -> None:
    escaped = value.replace('"', '\\"')
    (tmp_path / "kb.toml").write_text(f'{key} = "{escaped}"\n')
    with pytest.raises(InputError, match="no address"):
        read_home(tmp_path)


def test_an_address_may_be_any_of_the_web(tmp_path: Path) -> None:
    (tmp_path / "kb.toml").write_text(
        'site_url = "http://localhost:8000/a/?b=c"\nrepository = ""\nedit_url = "https://x.example/edit/{path}"\n'
    )
    assert read_home(tmp_path).site_url == "http://localhost:8000/a/?b=c"
